"""The console script `lead-agent`; `python -m bot` is the same.

Nothing heavy is imported before the command is known: `--help` and `runs` answer at once.
"""

import argparse
import io
import sys
from collections.abc import Callable, Sequence

Command = Callable[[argparse.Namespace], int]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code: 0 fine, 1 a check or a run failed, 2 wrong use or settings."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a name in another alphabet must not end a command
            stream.reconfigure(errors="backslashreplace")
    arguments = _parser().parse_args(argv)
    command: Command = arguments.command
    from agent.errors import LeadAgentError, SettingsError  # noqa: PLC0415

    try:
        return command(arguments)
    except SettingsError as error:
        for fault in error.faults:
            _complain(fault)
        return 2
    except LeadAgentError as error:
        _complain(str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1


def _at_least_one(written: str) -> int:
    """How many are wanted: none would look like an empty table, and SQLite takes fewer for all."""
    if not written.isdecimal() or int(written) < 1:
        raise argparse.ArgumentTypeError("write a whole number, at least 1")
    return int(written)


def _complain(line: str) -> None:
    sys.stderr.write(f"lead-agent: {line}\n")


class _Version(argparse.Action):
    """Looked up only where it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from agent.versions import code_version  # noqa: PLC0415

        code = code_version()
        sys.stdout.write(f"lead-agent {code.name} ({code.hash[:12]})\n")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lead-agent",
        description="A Telegram bot whose agent works leads and sends nothing before a person approves it.",
        epilog="Exit codes: 0 fine, 1 a check or a run failed, 2 wrong use or settings.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print this program's version and exit")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def add(name: str, text: str, command: Command) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(command=command)
        return added

    add("serve", "run the bot, with the settings of the environment and .env", _serve)
    demo = add("demo", "the main job, offline, then exit", _demo)
    demo.add_argument(
        "--leads", metavar="FILE.jsonl", help='leads of your own: {"name", "phone", "message"} a line'
    )
    demo.add_argument(
        "--model", choices=["stand-in", "claude"], default="stand-in", help="claude needs ANTHROPIC_API_KEY"
    )
    sandbox = add("sandbox", "a browser page on which you are the lead and the operator", _sandbox)
    sandbox.add_argument("--port", type=int, default=8081, help="of the page on this machine (default 8081)")
    check = add(
        "check",
        "try settings, storage, Telegram, model, mail server and Bitrix24; a line each",
        _check,
    )
    check.add_argument(
        "--production", action="store_true", help="and the list of what has to be ready, a line each"
    )
    add("migrate", "bring the database to this version's schema", _migrate)
    evaluation = add("eval", "how the agents behave against what is expected of them", _eval)
    evaluation.add_argument(
        "suite",
        nargs="?",
        choices=["records", "leads"],
        help="the nine runs of the record classifier, or the cases of the lead agent",
    )
    evaluation.add_argument("--json", action="store_true", help="print JSON only")
    evaluation.add_argument(
        "--model", choices=["scripted", "claude"], help="default scripted; claude needs ANTHROPIC_API_KEY"
    )
    evaluation.add_argument(
        "--compare",
        nargs=2,
        metavar=("A.json", "B.json"),
        help="what changed between two saved outputs of --json; exit 1 if B is worse",
    )
    runs = add("runs", "list runs, newest first", _runs)
    runs.add_argument("--limit", type=_at_least_one, default=1000, help="at most so many (default 1000)")
    runs.add_argument("--json", action="store_true", help="print JSON only")
    for name, text, command in (
        ("show", "everything about one run", _show),
        ("journal", "every step of one run", _journal),
        ("replay", "run the same input again, dry: nothing is sent or kept; what differs", _replay),
    ):
        added = add(name, text, command)
        added.add_argument("run", metavar="RUN", help="run-12, 12, or a name like demo-007a")
        added.add_argument("--json", action="store_true", help="print JSON only")
    audit = add("audit", "who decided what, newest first; or whether that log is whole", _audit)
    audit.add_argument("--date", metavar="2026-11-30", help="only of this day, in TIME_ZONE")
    audit.add_argument("--person", metavar="ID or NAME", help="only by this person")
    audit.add_argument("--json", action="store_true", help="print JSON only")
    audit.add_argument("--verify", action="store_true", help="check the whole log; exit 1 if it is broken")
    audit.add_argument("--expect", metavar="HASH", help="with --verify: a head that was printed before")
    _add_events(add("events", "who is told of what happens, and what became of each delivery", _events))
    _add_export(add("export", "leads, deals or decisions as a table for a spreadsheet", _export))
    leads = add("leads", "list leads from everywhere, newest first", _leads)
    leads.add_argument("--limit", type=_at_least_one, help="at most so many (default: all)")
    leads.add_argument("--json", action="store_true", help="print JSON only")
    _add_contacts(add("contacts", "who is known by what, and which contacts are one person", _contacts))
    _add_source(add("source", "who may post leads: website forms and their URLs", _source))
    _add_feedback(add("feedback", "what operators expected of runs, newest first", _feedback))
    return parser


def _add_events(events: argparse.ArgumentParser) -> None:
    events.add_argument(
        "action",
        nargs="?",
        choices=["log", "list", "add", "remove", "redeliver"],
        default="log",
        help="default: the log of deliveries",
    )
    events.add_argument(
        "target",
        nargs="?",
        help="of add a URL, of remove a subscription (S-1), of redeliver a delivery (E-1)",
    )
    events.add_argument("--events", metavar="TYPES", help="with add: only these, separated by commas")
    events.add_argument(
        "--limit", type=_at_least_one, default=100, help="of the log, at most so many (default 100)"
    )
    events.add_argument("--json", action="store_true", help="print JSON only")


def _add_export(export: argparse.ArgumentParser) -> None:
    export.add_argument("what", choices=["leads", "deals", "decisions"])
    export.add_argument(
        "--csv", nargs="?", const="-", required=True, metavar="FILE", help="where to; none: standard output"
    )
    export.add_argument(
        "--semicolons",
        action="store_true",
        help="between cells, for Excel where numbers have commas (ru, kk)",
    )


def _add_contacts(contacts: argparse.ArgumentParser) -> None:
    contacts.add_argument(
        "action",
        nargs="?",
        choices=["list", "show", "merge", "unmerge"],
        default="list",
        help="default: list",
    )
    contacts.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="of show C-1, of merge C-1 C-2 (the first stands for both), of unmerge M-1",
    )
    contacts.add_argument("--limit", type=_at_least_one, default=1000, help="at most so many (default 1000)")
    contacts.add_argument("--json", action="store_true", help="of list and show: print JSON only")


def _add_source(source: argparse.ArgumentParser) -> None:
    source.add_argument("action", choices=["add", "list", "rotate", "remove"])
    source.add_argument("name", metavar="NAME", nargs="?", help="of a-z, 0-9 and -; of all but list")
    source.add_argument("--preset", default="generic", help="of add: what posts (default generic)")
    source.add_argument("--secret", help="of add: what the product signs with or sends along, if it does")
    source.add_argument("--json", action="store_true", help="print JSON only")


def _add_feedback(feedback: argparse.ArgumentParser) -> None:
    feedback.add_argument("run", metavar="RUN", nargs="?", help="only of this run: run-12, or 12")
    shape = feedback.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print JSON only")
    shape.add_argument(
        "--as-case", action="store_true", help="an eval case of the run's latest, personal details replaced"
    )
    feedback.add_argument("--out", metavar="FILE", help="write the case there")


def _serve(_: argparse.Namespace) -> int:
    from bot.serve import serve  # noqa: PLC0415

    return serve()


def _demo(arguments: argparse.Namespace) -> int:
    from bot.demo import demo  # noqa: PLC0415

    return demo(leads=arguments.leads, model=arguments.model)


def _sandbox(arguments: argparse.Namespace) -> int:
    from bot.playground import sandbox  # noqa: PLC0415

    return sandbox(port=arguments.port)


def _check(arguments: argparse.Namespace) -> int:
    from bot.check import check  # noqa: PLC0415

    return check(production=arguments.production)


def _migrate(_: argparse.Namespace) -> int:
    from bot.reports import migrate  # noqa: PLC0415

    return migrate()


def _eval(arguments: argparse.Namespace) -> int:
    from agent.errors import SettingsError  # noqa: PLC0415
    from bot.evals.command import eval_compare, eval_leads, eval_records  # noqa: PLC0415

    if arguments.compare and not (arguments.suite or arguments.model):
        return eval_compare(*arguments.compare, as_json=arguments.json)
    if arguments.compare or not arguments.suite:
        raise SettingsError(["eval: name a suite (records or leads), or --compare A.json B.json alone"])
    suite = eval_leads if arguments.suite == "leads" else eval_records
    return suite(model=arguments.model or "scripted", as_json=arguments.json)


def _runs(arguments: argparse.Namespace) -> int:
    from bot.reports import runs  # noqa: PLC0415

    return runs(limit=arguments.limit, as_json=arguments.json)


def _show(arguments: argparse.Namespace) -> int:
    from bot.reports import show  # noqa: PLC0415

    return show(arguments.run, as_json=arguments.json)


def _journal(arguments: argparse.Namespace) -> int:
    from bot.reports import journal  # noqa: PLC0415

    return journal(arguments.run, as_json=arguments.json)


def _events(arguments: argparse.Namespace) -> int:
    from agent.errors import SettingsError  # noqa: PLC0415
    from bot import event_commands  # noqa: PLC0415

    match arguments.action, arguments.target:
        case "log", None:
            return event_commands.log(limit=arguments.limit, as_json=arguments.json)
        case "list", None:
            return event_commands.subscriptions(as_json=arguments.json)
        case "add", str(url):
            return event_commands.add(url, arguments.events, as_json=arguments.json)
        case "remove", str(name):
            return event_commands.remove(name)
        case "redeliver", str(name):
            return event_commands.redeliver(name)
    raise SettingsError(["events: write `add URL`, `remove S-1`, `redeliver E-1`, `list` or nothing more"])


def _export(arguments: argparse.Namespace) -> int:
    from bot.exports import export  # noqa: PLC0415

    return export(arguments.what, arguments.csv, semicolons=arguments.semicolons)


def _leads(arguments: argparse.Namespace) -> int:
    from bot.lead_commands import leads  # noqa: PLC0415

    return leads(limit=arguments.limit, as_json=arguments.json)


def _contacts(arguments: argparse.Namespace) -> int:
    from agent.errors import SettingsError  # noqa: PLC0415
    from bot import contact_commands  # noqa: PLC0415

    match arguments.action, arguments.names:
        case "list", []:
            return contact_commands.contacts(limit=arguments.limit, as_json=arguments.json)
        case "show", [name]:
            return contact_commands.show(name, as_json=arguments.json)
        case "merge", [winner, loser]:
            return contact_commands.merge(winner, loser)
        case "unmerge", [name]:
            return contact_commands.unmerge(name)
    raise SettingsError(["contacts: write `list`, `show C-1`, `merge C-1 C-2` or `unmerge M-1`"])


def _source(arguments: argparse.Namespace) -> int:
    from agent.errors import SettingsError  # noqa: PLC0415
    from bot import source_commands  # noqa: PLC0415

    match arguments.action, arguments.name:
        case "list", None:
            return source_commands.sources(as_json=arguments.json)
        case "add", str(name):
            return source_commands.add(name, arguments.preset, arguments.secret, as_json=arguments.json)
        case "rotate", str(name):
            return source_commands.rotate(name, as_json=arguments.json)
        case "remove", str(name):
            return source_commands.remove(name)
    raise SettingsError(["source: write `list`, or `add`, `rotate` or `remove` and a NAME"])


def _feedback(arguments: argparse.Namespace) -> int:
    from bot.cases import feedback  # noqa: PLC0415

    return feedback(arguments.run, as_json=arguments.json, as_case=arguments.as_case, out=arguments.out)


def _audit(arguments: argparse.Namespace) -> int:
    from bot.audit import audit, verify  # noqa: PLC0415

    if arguments.verify or arguments.expect:
        return verify(expected=arguments.expect)
    return audit(day=arguments.date, person=arguments.person, as_json=arguments.json)


def _replay(arguments: argparse.Namespace) -> int:
    from bot.replay import replay  # noqa: PLC0415

    return replay(arguments.run, as_json=arguments.json)


if __name__ == "__main__":
    raise SystemExit(main())
