"""The agents that the bot runs, by name, as the settings want them."""

from collections.abc import Mapping

from agent.leads.agent import NAME, LeadAgent
from agent.ports import Channels
from agent.records.agent import NAME as RECORDS
from agent.records.agent import RecordAgent
from agent.records.source import RECORDS as DEMO_RECORDS
from agent.records.source import SyntheticSource
from agent.turn import Agent
from bot.settings import Settings


def agents_of(settings: Settings, channels: Channels) -> Mapping[str, Agent]:
    """Every agent; what leaves, leaves through `channels`."""
    lead = LeadAgent(
        channel=channels,
        model=settings.anthropic_model,
        company=settings.company,
        limits=settings.limits,
    )
    classifier = RecordAgent(source=SyntheticSource(DEMO_RECORDS), model=settings.anthropic_model)
    return {NAME: lead, RECORDS: classifier}
