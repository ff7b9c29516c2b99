"""The shape of the catalogue: every language has to fill in every field."""

from collections.abc import Mapping
from dataclasses import dataclass

from agent.channels import ChannelKind
from agent.outgoing import Detour
from agent.proposals import DenialReason, Outdated, ProposalState
from agent.runs import RunStatus
from bot.texts.crm import CrmTexts
from bot.texts.rules import RuleTexts


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """Words for operators.  `{names}` are filled in by `str.format`; values are escaped beforehand."""

    reply_to: str
    action: str
    actions: str
    goes_out_verbatim: str
    to_be_sent_by_hand: str
    nothing_connected: str
    wrote: str
    blocked: str
    wrote_since: str
    footer: str
    expires: str
    full_text_attached: str
    moved: str
    document_caption: str
    document_lead: str
    document_reply: str

    approve: str
    deny: str
    edit: str
    undo: str
    approve_all: str
    copy: str
    profile: str
    take_over: str
    hand_back: str
    was_sent: str
    send_again: str
    drop: str
    whatsapp: str
    sent_by_hand: str
    could_not_reach: str

    paused: str
    approved_paused: str
    approved_waiting: str
    approved_later: str
    revising: str
    version_by: str
    the_agent: str
    marked: str
    ordered: str
    votes: str
    sent: str
    settled_sent: str
    not_sent: str
    not_yet: str
    handed_over: str
    delivered: str
    not_reached: str
    unknown: str
    denied: str
    expired: str
    superseded: str
    outdated: Mapping[Outdated, str]
    taken_over: str
    taken_over_topic: str
    not_connected: str
    request_denied: str
    request_expired: str
    result_title: str

    escalated: str
    unanswered: str
    waits: str
    waits_for_resume: str
    works_again: str
    worked: str
    reason: str
    deals: str
    phone: str

    toast_approved: str
    toast_approved_later: str
    toast_undone: str
    toast_taken: str
    toast_taken_topic: str
    toast_handed_back: str
    toast_leaving: str
    toast_vote: str
    toast_voted: str
    toast_not_allowed: str
    toast_marked: str
    toast_edit: str
    toast_reasoned: str
    toast_reason_kept: str
    toast_all: str
    toast_approved_waits: str
    toast_denied: str
    toast_settled: str
    toast_already: str
    toast_expired: str
    toast_outdated: str
    toast_stranger: str
    toast_anonymous: str
    toast_unreachable: str

    talk_other: str
    talk_text_only: str
    talk_which: str
    talk_unknown: str
    talk_failed: str
    edit_ask: str
    edit_done: str
    edit_rewrite: str
    edit_which: str
    edit_over: str
    edit_too_short: str
    edit_too_long: str
    edit_refused: str

    help: str
    runs_title: str
    runs_none: str
    run_unknown: str
    run_usage: str
    classify_started: str
    journal_title: str
    journal_rest: str
    pending_title: str
    pending_none: str
    pending_more: str
    pending_page: str
    reminder: str
    reminders: str
    reminder_line: str
    escalation: str
    everybody: str
    nobody_decided: str
    minutes: str
    hours: str
    days: str
    pinned: str
    pinned_none: str
    audit_title: str
    audit_none: str
    audit_usage: str
    feedback_stored: str
    feedback_usage: str
    stop_paused: str
    stop_paused_already: str
    stop_resumed: str
    stop_running_already: str
    stop_no_admins: str
    stop_only_admins: str
    only_in_group: str
    parked: str
    post_parked: str
    digest_title: str
    digest_calls: str
    digest_flood: str
    digest_question: str
    digest_process: str
    digest_spam: str
    digest_processed: str
    digest_marked: str
    digest_over: str
    toast_digest_process: str
    toast_digest_spam: str
    spam_usage: str
    spam_marked: str
    spam_unmarked: str

    demo_columns: tuple[str, ...]
    demo_journal: str
    demo_next: str
    sandbox_open: str
    sandbox_claude: str
    sandbox_stand_in: str
    sandbox_stop: str

    statuses: Mapping[RunStatus, str]
    states: Mapping[ProposalState, str]
    delivered_state: str
    detours: Mapping[Detour, str]
    ways: Mapping[ChannelKind, str]
    denial_reasons: Mapping[DenialReason, str]
    verdicts: Mapping[str, str]
    crm: CrmTexts
    by_rule: str
    rules: RuleTexts


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadTexts:
    """The company's fixed words to a lead."""

    greeting: str
    privacy: str
    privacy_link: str
    share_phone: str
    acknowledgement: str
    subject: str
