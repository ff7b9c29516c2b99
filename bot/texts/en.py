"""English."""

from agent.channels import ChannelKind
from agent.outgoing import Detour
from agent.proposals import Correction, DenialReason, Outdated, ProposalState, Verdict
from agent.runs import RunStatus
from bot.texts import crm, rules
from bot.texts.catalogue import LeadTexts, Texts

TEXTS = Texts(
    reply_to="✉️ <b>Reply to {name}</b>",
    action="⚙️ <b>{tool}</b> for {name}",
    actions="✉️ <b>{count} replies to {name}</b>",
    goes_out_verbatim="Goes out exactly like this:",
    to_be_sent_by_hand="Exactly this is to be sent, by one of you:",
    nothing_connected=(
        "An irreversible operation is asked for. No tool for it is connected: approving it confirms the "
        "intent, and nothing is carried out. Exact parameters:"
    ),
    wrote="Wrote:",
    blocked="🚫 Has blocked the bot: no reply will arrive.",
    wrote_since="📩 Wrote since:",
    footer="#{proposal} · {run}",
    expires="until {time}",
    full_text_attached="📎 The full text is in the file above.",
    moved="↓ This card was posted again below.",
    document_caption="Full text of {proposal}",
    document_lead="The lead wrote",
    document_reply="Goes out",
    approve="✅ Approve",
    deny="❌ Deny",
    edit="✏️ Edit",
    undo="↩️ Undo",
    approve_all="✅ Approve all ({count})",
    copy="📋 Copy",
    profile="👤 Profile",
    take_over="🙋 I'll answer",
    hand_back="🤖 Back to the agent",
    was_sent="✅ It was sent",
    send_again="🔁 It was not: send",
    drop="🗑 Drop it",
    whatsapp="💬 WhatsApp",
    sent_by_hand="📨 I sent it",
    could_not_reach="🚫 Couldn't reach",
    paused="⏸ paused by {who}, {time}",
    approved_paused="✅ Approved by {who} · {time} · waits: paused",
    approved_waiting="✅ Approved by {who} · {time} · being sent",
    approved_later="✅ Approved by {who} · {time} · goes out at {later}",
    revising="✏️ The agent writes it again: “{remark}”",
    version_by="✏️ Version {version}, by {who}. What changed:",
    the_agent="the agent",
    marked="⚠️ No source says: {marks}. Check it; approving takes a second press.",
    ordered="⚠️ The lead's words look like orders to the agent: {marks}",
    votes="✅ {count} of {needed}: {who}",
    sent="✅ Approved by {who} · {time} · sent",
    settled_sent="✅ {who} settled it · {time} · it was sent",
    not_yet="\n⏳ not yet, tried again later: {note}",
    handed_over=(
        "✅ Approved by {who} · {time}\n🤝 <b>handed over</b>: send it yourself, then say what came of it:"
    ),
    delivered="✅ Approved by {who} · {time}\n📨 {settler} sent it · {settled} · delivered",
    not_reached=(
        "✅ Approved by {who} · {time}\n❗️ <b>not delivered</b>: {settler} couldn't reach them · {settled}"
    ),
    not_sent="✅ Approved by {who} · {time}\n❗️ <b>not sent</b>: {note}",
    unknown=(
        "✅ Approved by {who} · {time}\n"
        "⚠️ <b>delivery unknown</b>: the answer was lost, so it may have been sent or not.\n"
        "Ask the lead, then say what happened:"
    ),
    denied="❌ Denied by {who} · {time} · not sent",
    expired="⌛️ Nobody decided in time · not sent",
    superseded="↪️ Outdated: the lead wrote again · not sent",
    outdated={
        Outdated.TAKEN_OVER: "🙋 A person answers instead · not sent",
        Outdated.NOT_WRITTEN: "↪️ The agent did not write it again · not sent",
    },
    taken_over_topic="🙋 <b>{who} answers {name}</b>: all that they write in this topic goes to the lead",
    taken_over="🙋 <b>{who} answers {name}</b>: replies to this card and to what comes below go to the lead",
    not_connected="✅ Approved by {who} · {time} · no such tool is connected, nothing was done",
    request_denied="❌ Denied by {who} · {time} · nothing was done",
    request_expired="⌛️ Nobody decided in time · nothing was done",
    result_title="📄 <b>{name}</b> · {status}",
    escalated="🙋 <b>A person is needed: {name}</b>",
    unanswered="🙋 <b>{name} is left to you</b>: the agent ended with “{status}”",
    waits="⏳ <b>{name} waits</b>: the agent cannot go on just now, the bot keeps trying",
    waits_for_resume="⏸ <b>{name} waits</b>: the agent is paused; answer by hand, or /resume",
    works_again="▶️ <b>{name}</b>: the agent is at work",
    worked="✅ <b>{name}</b>: the agent is done",
    reason="Reason: {reason}",
    deals="Deals: {deals}",
    phone="Phone: {phone}",
    toast_approved="✅ Approved",
    toast_approved_later="✅ Approved. It goes out in {seconds} s; until then you can undo it on the card.",
    toast_vote="✅ Counted. Approvals still needed: {count}",
    toast_voted="You have approved this already. Other people's approvals still needed: {count}",
    toast_not_allowed="Somebody else has to approve this. You may edit or deny it. Nothing was changed.",
    toast_marked="⚠️ No source says: {marks}. Check it, then press again to approve.",
    toast_taken_topic="🙋 It is yours: what you write in the topic goes to the lead as it stands.",
    toast_taken="🙋 It is yours: reply to the card, and your words go to the lead as they stand.",
    toast_handed_back="🤖 The agent answers again, from the lead's next message on.",
    toast_leaving="A reply is leaving just now. Press again in a moment.",
    toast_undone="↩️ Taken back: nothing was sent, the card is open again.",
    toast_edit="Reply to the message below the card with the new text.",
    toast_reasoned="Noted: the agent is told.",
    toast_reason_kept="Noted. The agent had gone on already and is not told.",
    toast_all="✅ Approved: {count}",
    toast_approved_waits="✅ Approved, waits: paused. It goes out after /resume.",
    toast_denied="❌ Denied",
    toast_settled="Noted",
    toast_already="{who} decided already: {state}",
    toast_expired="Too late: the time for a decision is over. Nothing was sent.",
    toast_outdated="This card is out of date. Nothing was changed; use the newest card.",
    toast_stranger="You are not among those who may decide. Nothing was changed.",
    toast_anonymous="Decisions need a name: turn off anonymous mode and press again. Nothing was changed.",
    toast_unreachable="Your membership could not be checked just now. Nothing was changed; press again.",
    talk_other="Not sent: {who} answers this lead. Press 🙋 on the card to do it yourself.",
    talk_text_only="Not sent: only text that you write can be passed on.",
    talk_which="Not sent: you answer two chats of this person. Reply to words of the one you mean.",
    talk_unknown="⚠️ Telegram's answer was lost: it may have arrived. Ask the lead before writing again.",
    talk_failed="❗️ Not delivered: {note}",
    edit_ask=(
        "✏️ {who}, reply to this message with the new text for {proposal}: it replaces the draft letter for "
        "letter, and is sent only after ✅ on the card.\n"
        "To have the agent write it again, reply to the card itself with what should be different."
    ),
    edit_done="✏️ Version {version} of {proposal} is on the card. It is sent only after ✅.",
    edit_rewrite="✏️ The agent writes {proposal} again, as you say. Its new text comes onto the same card.",
    edit_which="Several texts wait on this card. Begin with the number: 2 = new text, or: 2 shorter, please",
    edit_over="Nothing was changed: {proposal} is no longer open ({state}).",
    edit_too_short="Nothing was changed: the text needs at least {bound} letters.",
    edit_too_long="Nothing was changed: the text may have {bound} letters at most.",
    edit_refused="Nothing was changed: such a text cannot be sent.",
    help=(
        "I show what the agent wants to send to leads. Nothing leaves before somebody "
        "presses ✅, but for what a rule lets pass.\n\n"
        "✏️ or a reply to a card changes the text: “= words” are sent as they stand, any other reply tells "
        "the agent what to write differently. A reply never approves.\n\n"
        "/pending · what waits for a decision\n"
        "/run · the latest runs; /run 12 · one run\n"
        "/journal 12 · every step of a run\n"
        "/audit · who decided what; /audit 2026-11-30, /audit Olga\n"
        "/deals · deals under way; /deals won, /deals mine; /deal 12 · one of them\n"
        "/note 12 asked to call on Monday · a note on a deal\n"
        "/merge M-3 · a merge of contacts, to be taken back; /merge C-1 C-2 · one person of two\n"
        "/rules · what may leave without a press\n"
        "/classify R-001 · classify a demo record\n"
        "/feedback 12 what you expected · keep it with the run, to be looked into\n"
        "/spam L-12, /notspam L-12 · take a lead and the same words for spam, or no longer\n"
        "/pause, /resume · stop the agent and let it go on (admins)\n"
        "/help · this"
    ),
    runs_title="<b>Latest runs</b>",
    runs_none="There are no runs yet: nobody has written to the bot.",
    run_unknown="There is no run {name}. /run shows the latest ones.",
    run_usage="Write the number of the run: /journal 12",
    classify_started="▶️ {run} has started; its result is posted here. /journal {run}",
    journal_title="<b>Journal of {run}</b>",
    journal_rest="… {count} more lines: lead-agent journal {run}",
    pending_title="<b>Waiting for a decision: {count}</b>",
    pending_none="Nothing waits for a decision.",
    pending_more="… and {count} more",
    pending_page="{first}–{last}",
    reminder="⏰ <b>{name}</b> waits for a decision: {proposal}, since {time} ({age})",
    reminders="⏰ <b>Waiting for a decision: {count}</b>",
    reminder_line="{proposal} · {name} · since {time} ({age})",
    escalation="🔔 {who}: nobody has decided yet. Please look.",
    everybody="Everybody",
    nobody_decided="⌛️ Nobody decided on {proposal} in time: the lead got no answer.",
    minutes="{count} min",
    hours="{count} h",
    days="{count} d",
    pinned="⏳ <b>Waiting: {count}</b>, oldest {age}",
    pinned_none="✅ Nothing waits for a decision.",
    audit_title="<b>Who decided what, newest first</b>",
    audit_none="There are no such decisions.",
    audit_usage="Write a day, a person or both: /audit 2026-11-30 Olga",
    feedback_stored="📝 Stored as {note}, with all of {run}. To look into it: lead-agent replay {run}",
    feedback_usage="Write the run and what you expected: /feedback 12 a question instead of a deal",
    stop_paused=(
        "⏸ <b>Paused by {who}</b>, {time}. Nothing is asked of the model and nothing goes to leads until "
        "/resume; what was already on its way arrives. Leads are taken in and shown here, decisions wait. "
        "Open runs: {count}."
    ),
    stop_paused_already="⏸ Paused already, by {who}, {time}. /resume lets everything go on.",
    stop_resumed="▶️ <b>Resumed by {who}</b>, {time}. What was approved goes out now. Open runs: {count}.",
    stop_running_already="▶️ Not paused: the agent is at work.",
    stop_no_admins="Nobody may pause: no admins are named. Set ADMIN_IDS and restart the bot.",
    stop_only_admins="Only admins may pause and resume. Nothing was changed.",
    only_in_group="Commands work in the operators' group.",
    parked=(
        "⚠️ An update from Telegram could not be handled {attempts} times and was set aside "
        "(update {update}: {error}). The rest goes on. See the log."
    ),
    post_parked=(
        "⚠️ A request of the website form {source} (no. {post}) could not be made a lead and was set aside: "
        "{error}. The rest goes on. It is kept in the database; the log says why."
    ),
    digest_title="🚦 <b>Leads that wait: {count}</b>",
    digest_calls="Today's model calls are used up (MODEL_CALLS_PER_DAY). The agent has not seen these:",
    digest_flood="Too many came at once. The agent has not looked at these:",
    digest_question="Say what to do with them; without a word they are worked after midnight.",
    digest_process="▶️ Process all",
    digest_spam="🚫 All are spam",
    digest_processed="▶️ <b>{who}</b> · {time} · leads given to the agent: {count}",
    digest_marked=(
        "🚫 <b>{who}</b> · {time} · leads marked as spam: {count}; the same words are spam from now on. "
        "A mistake? /notspam L-12"
    ),
    digest_over="✅ No leads wait any more",
    toast_digest_process="At work: {count}",
    toast_digest_spam="Marked as spam: {count}",
    spam_usage=(
        "Write the number of the lead: /spam L-12, or /notspam L-12. They are listed by lead-agent leads"
    ),
    spam_marked="🚫 {lead} is spam, and so is whatever has the same words: the agent leaves it alone.",
    spam_unmarked="✅ {lead} is no spam, nor is whatever has the same words.",
    demo_columns=("run", "lead", "status", "steps", "tokens", "deal", "reply"),
    demo_journal="Everything is in {database}: DATABASE_URL=sqlite:///{database} {command} show 1",
    demo_next="Try it yourself: make sandbox",
    sandbox_open="Open {url} in a browser: you are the lead, the operator, and see what goes out.",
    sandbox_claude="Claude ({model}) answers: what you write is sent to {url}.",
    sandbox_stand_in="A stand-in answers by keywords; with ANTHROPIC_API_KEY set, Claude does.",
    sandbox_stop="Ctrl+C ends it; nothing is kept.",
    statuses={
        RunStatus.QUEUED: "queued",
        RunStatus.RUNNING: "running",
        RunStatus.AWAITING_CONFIRMATION: "awaiting a decision",
        RunStatus.DONE: "done",
        RunStatus.STOPPED: "stopped",
        RunStatus.MAX_STEPS: "step limit",
        RunStatus.BUDGET: "token limit",
        RunStatus.FAILED: "failed",
        RunStatus.DENIED: "denied",
        RunStatus.CANCELLED: "cancelled",
    },
    states={
        ProposalState.PENDING: "awaiting a decision",
        ProposalState.REVISING: "being rewritten",
        ProposalState.APPROVED: "approved",
        ProposalState.EXECUTING: "being sent",
        ProposalState.EXECUTED: "sent",
        ProposalState.FAILED: "not sent",
        ProposalState.UNCERTAIN: "delivery unknown",
        ProposalState.HANDED_OVER: "handed over",
        ProposalState.DENIED: "denied",
        ProposalState.EXPIRED: "expired",
        ProposalState.SUPERSEDED: "outdated",
    },
    denial_reasons={
        DenialReason.WRONG_FACTS: "Wrong facts",
        DenialReason.TONE: "Tone",
        DenialReason.WILL_CALL: "I'll call",
        DenialReason.SPAM: "Spam",
    },
    verdicts={
        Verdict.APPROVE: "approved",
        Verdict.DENY: "denied",
        Verdict.UNDO: "undone",
        Verdict.WAS_SENT: "said: was sent",
        Verdict.SEND_AGAIN: "sent again",
        Verdict.DROP: "dropped",
        Verdict.DELIVERED: "sent in person",
        Verdict.NOT_REACHED: "could not reach",
        Correction.EDIT: "edited",
        Correction.REWRITE: "sent back",
        Correction.REASON: "gave a reason",
    },
    by_rule="⚙️ Nobody pressed: a rule let it pass. /rules",
    rules=rules.EN,
    delivered_state="delivered",
    detours={
        Detour.NO_FORUM: "Here because the group has no topics.",
        Detour.NO_RIGHT: "Here because the bot may not manage topics.",
        Detour.BUSY: "Here because Telegram wants no new topics for a while.",
        Detour.UNKNOWN: "Here because Telegram did not say whether the lead's topic was made.",
        Detour.CLOSED: "Here because the lead's topic is closed and the bot may not open it.",
        Detour.REFUSED: "Here because Telegram refused the lead's topic.",
    },
    ways={
        ChannelKind.TELEGRAM: "Telegram",
        ChannelKind.EMAIL: "e-mail",
        ChannelKind.WEBHOOK: "webhook",
        ChannelKind.HAND_OVER: "by hand",
    },
    crm=crm.EN,
)

LEAD = LeadTexts(
    greeting="Hello! Write what you need, in your own words. A person will read it and answer here.",
    privacy="Your message is processed with the help of a service abroad, and read by our staff.",
    privacy_link="How we handle your data: {url}",
    share_phone="📱 Share my phone number",
    acknowledgement="Thank you, we have received your message. A person will answer here.",
    subject="Reply to your request",
)
