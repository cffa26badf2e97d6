"""Private computation of many parties: randomized response once from everyone, then the best decision."""

from optcomp.multiparty.channels import Channel
from optcomp.multiparty.decision import Decision, decide, in_words, worst_case_laws
from optcomp.multiparty.functions import MEASURES, Accuracy, BitFunction, absolute_error, indicator, squared_error
from optcomp.multiparty.other import OtherProtocol
from optcomp.multiparty.protocol import Interest, Party, Protocol
from optcomp.multiparty.solve import Measure, Solved
from optcomp.multiparty.survey import SurveyDesign
from optcomp.multiparty.transcript import Message, broadcast, transcript_of
from optcomp.multiparty.view import Listener

__all__ = [
    "MEASURES",
    "Accuracy",
    "BitFunction",
    "Channel",
    "Decision",
    "Interest",
    "Listener",
    "Measure",
    "Message",
    "OtherProtocol",
    "Party",
    "Protocol",
    "Solved",
    "SurveyDesign",
    "absolute_error",
    "broadcast",
    "decide",
    "in_words",
    "indicator",
    "squared_error",
    "transcript_of",
    "worst_case_laws",
]
