// Answers a text: reads it as a command, runs the tools, and renders the reply.

import { LRUCache } from "lru-cache";
import { NAMES_AWAY_MS, NAMES_TIMEOUT_MS, SUGGESTIONS_MAX } from "#agent/agentConfig.ts";
import type { Asked, Reply } from "#agent/contract.ts";
import { agentFault } from "#agent/faults.ts";
import type { Unread } from "#agent/grammar/explainUnread.ts";
import type { Grammar, Parsed, Reading } from "#agent/grammar/Grammar.ts";
import { tryWords } from "#agent/help.ts";
import type { ModelReading, ReadByModel } from "#agent/model/createModelReader.ts";
import { harmless, renderLine, replyLength } from "#agent/reply/renderLine.ts";
import type { RunTool, ToolResult } from "#agent/runTool.ts";
import type { Clock } from "#core/clock.ts";
import { createTimely } from "#core/db/openGatheringSocket.ts";
import { assert, type Fault, unreachable } from "#core/fault.ts";
import type { Log } from "#core/log.ts";
import {
	type AnyTool,
	type Caller,
	type Command,
	type KnownName,
	type KnownNames,
	NAMES_ASKED_MAX,
	type NameBook,
} from "#core/plugin/Tool.ts";

export type AgentDeps = {
	clock: Clock;
	log: Log;
	grammar: Grammar;
	findNames: FindNames;
	/** The tools of all plugins, and the agent's own. */
	tools: readonly AnyTool[];
	runTool: RunTool;
	/** Turns text that the grammar does not read into a strict command; null without a model. */
	readByModel: ReadByModel | null;
	/** Reads an order with politeness around it, to be prepared only. */
	readLooseOrder(text: string): Reading | null;
	/** The longest line of a reply, in characters. */
	lengthMax: number;
};

/** Returns which groups of words are names; never throws. */
export type FindNames = (groups: readonly string[], who: string) => Promise<KnownNames>;

/** A command to run, and whether a model understood the text as it. */
type Understood = {
	reading: Reading;
	isProposal: boolean;
	/** Words of the author that the answer does not account for; null where none. */
	leftOut: string | null;
};

/** Limits the length of a subject: that of a printed command. */
export const SUBJECT_CHARS_MAX = 300;
/** Limits the characters of a word that a note repeats. */
const NOTED_CHARS_MAX = 40;
/** Reserves room for the longest age of a figure: ` · 12345 min ago`. */
const AGE_CHARS_MAX = 16;

type Answering = AgentDeps & { toolOf(name: string): AnyTool };

type Rendering = AgentDeps & Reading & { note: string | undefined; isAgeless: boolean };

/** Callers for whom it is remembered that names were slow. */
const NAME_CALLERS_MAX = 2_000;

const NOTHING: Reply = {
	kind: "help",
	line: "",
	command: null,
	isProposal: false,
	tool: null,
	data: null,
	asOf: null,
	links: [],
	suggestions: [],
	code: null,
};

/**
 * Returns the function that answers a text. The grammar reads it, with the names that plugins know;
 * or else a polite order is read; or else a model writes a command that the grammar reads. A text
 * that is refused as a whole goes to no model. The caller's authority decides which tool may run;
 * its output becomes one line. Never throws for bad input.
 */
export function createAgent(deps: AgentDeps): (asked: Asked) => Promise<Reply> {
	const tools = new Map(deps.tools.map((tool) => [tool.name, tool]));
	const toolOf = (name: string): AnyTool => {
		const tool = tools.get(name);
		assert(tool, `there is a tool "${name}"`);
		return tool;
	};
	return async (asked) => {
		const who = asked.caller.profileId ?? asked.guest ?? "";
		const names = await deps.findNames(deps.grammar.namesIn(asked.text), who);
		const parsed = deps.grammar.parse(asked.text, names);
		const followed = follow(asked, { parsed, names }, { ...deps, toolOf });
		if (followed) {
			return answer({ reading: followed, isProposal: false, leftOut: null }, asked, {
				...deps,
				toolOf,
			});
		}
		if (parsed.kind === "read") {
			const { reading, leftOut } = parsed;
			return answer({ reading, isProposal: false, leftOut }, asked, { ...deps, toolOf });
		}
		// A text that was refused as a whole (two commands, hidden characters) is not for a model
		// either.
		const isRefused = parsed.code.startsWith("text_");
		const loose = isRefused ? null : deps.readLooseOrder(asked.text);
		const written: ModelReading | null | undefined =
			loose ?? (isRefused || asked.isWithoutModel ? null : await deps.readByModel?.(asked));
		if (!written) return notUnderstood(parsed, deps);
		const { leftOut = null, ...reading } = written;
		return answer({ reading, isProposal: true, leftOut }, asked, { ...deps, toolOf });
	};
}

/**
 * Reads a question that goes on from the last answer: one that is not whole by itself, or begins
 * with `and` or `what about`. Null where it is none. The subject comes from the client, so it is
 * read like any text, and only what is open to everybody follows or is followed.
 */
function follow(
	{ text, subject }: Asked,
	{ parsed, names }: { parsed: Parsed; names: KnownNames },
	{ grammar, toolOf }: Answering,
): Reading | null {
	if (subject === undefined || subject.length > SUBJECT_CHARS_MAX) return null;
	const isOpen = ({ command }: Reading) => {
		const { effect, access } = toolOf(command.tool);
		return effect === "read" && access === "everybody";
	};
	if (parsed.kind === "unread" && parsed.code.startsWith("text_")) return null;
	if (parsed.kind === "read" && !isOpen(parsed.reading)) return null;
	const about = grammar.parse(subject);
	if (about.kind === "unread" || !isOpen(about.reading)) return null;
	const followed = grammar.follow(text, about.reading, names);
	if (!followed || !isOpen(followed.reading)) return null;
	return parsed.kind === "read" && !followed.isLed ? null : followed.reading;
}

/**
 * Makes the one lookup of names from the books of all plugins. A book that fails or is slow knows
 * nothing for a moment, and questions are read by their words alone then: for who asked, since one
 * caller's slow names must not keep all others from theirs. A text that is a ticker
 * for one book and a collection for another is the ticker: issuers choose those, anybody the other.
 */
export function createNameFinder(
	books: readonly NameBook[],
	{ clock, log }: { clock: Clock; log: Log },
): FindNames {
	const onAway = (error: unknown) => log.warn("names cannot be looked up", { error });
	const times = { timeoutMs: NAMES_TIMEOUT_MS, awayMs: NAMES_AWAY_MS };
	const open = () =>
		books.map((book) => ({ book, timely: createTimely({ clock, ...times, onAway }) }));
	const askedBy = new LRUCache<string, ReturnType<typeof open>>({ max: NAME_CALLERS_MAX });
	return async (groups, who) => {
		const found = new Map<string, KnownName>();
		if (groups.length === 0) return found;
		const some = groups.slice(0, NAMES_ASKED_MAX);
		const asked = askedBy.get(who) ?? open();
		askedBy.set(who, asked);
		const answers = await Promise.all(
			asked.map(({ book, timely }) =>
				timely.isAway() ? null : timely.ask(async () => book.find(some)),
			),
		);
		for (const [group, name] of answers.flatMap((answer) => [...(answer ?? [])])) {
			if (name.kind === "asset" || !found.has(group)) found.set(group, name);
		}
		return found;
	};
}

async function answer(
	{ reading, isProposal, leftOut }: Understood,
	{ text, caller, idempotencyKey, signal, isAgeless = false }: Asked,
	deps: Answering,
): Promise<Reply> {
	const { command, values } = reading;
	const speaker = isProposal ? withoutAuthority(caller) : caller;
	const printed = attempt(deps, () => deps.grammar.print(reading));
	const base: Reply = { ...NOTHING, command: printed, isProposal };
	// A command that cannot be printed back is not run: its caller could not check it.
	if (printed === null) return refused(agentFault.toolFailed(), base, deps);
	const tool = permitted(command, speaker, deps);
	if (tool === null) {
		const isKnown = speaker.profileId !== null;
		const why = isKnown ? agentFault.executionNotAllowed() : agentFault.signInNeeded();
		return refused(why, base, deps);
	}
	const result = await deps.runTool(tool, () => inputOf(reading), {
		caller: speaker,
		idempotencyKey,
		text,
		signal,
	});
	const note = leftOut === null ? undefined : noteOf(leftOut, speaker);
	const rendering = { ...deps, command, values, note, isAgeless };
	return rendered(result, { ...base, tool: tool.name }, rendering);
}

/** Says what an answer leaves out; in public without the words, which a stranger chose. */
function noteOf(leftOut: string, { channel }: Caller): string {
	const isTold = channel !== "social" && leftOut.length <= NOTED_CHARS_MAX;
	return `without ${isTold ? `"${leftOut}"` : "the rest"}, which I cannot look up`;
}

/**
 * Lowers the caller's authority to a session's: a model wrote the command, so it is at most
 * prepared.
 */
function withoutAuthority(caller: Caller): Caller {
	return { ...caller, authority: caller.authority === "none" ? "none" : "session" };
}

/**
 * Returns the printed command; null, with a line in the log, where a plugin's command cannot be
 * printed.
 */
function attempt({ log }: Pick<AgentDeps, "log">, print: () => string): string | null {
	try {
		return print();
	} catch (error) {
		log.error("a command cannot be printed", { error });
		return null;
	}
}

function refused(fault: Fault, base: Reply, deps: AgentDeps): Reply {
	return {
		...base,
		kind: "refused",
		line: lineOf(fault.publicDetail, deps),
		code: fault.code,
	};
}

function lineOf(
	text: string,
	deps: AgentDeps & { note?: string | undefined; isAgeless?: boolean },
	asOf: string | null = null,
): string {
	const { lengthMax: most, clock, note, isAgeless = false } = deps;
	const noted = note === undefined ? {} : { note };
	// Who adds the age has room for it.
	const lengthMax = isAgeless && asOf !== null ? most - AGE_CHARS_MAX : most;
	const asOfMs = asOf === null || isAgeless ? null : Date.parse(asOf);
	return renderLine(text, { lengthMax, asOfMs, nowMs: clock.nowMs(), ...noted });
}

/**
 * Returns the tool that this caller may run, or null. Effects are a closed list: a new one does not
 * compile until this function decides about it.
 */
function permitted(command: Command, { authority }: Caller, { toolOf }: Answering): AnyTool | null {
	const tool = toolOf(command.tool);
	switch (tool.effect) {
		case "read":
		case "prepare":
			return tool;
		case "execute":
			if (authority === "author") return tool;
			return command.prepares === undefined ? null : toolOf(command.prepares);
		default:
			return unreachable(tool.effect);
	}
}

function inputOf({ command, values }: Reading): unknown {
	return command.input ? command.input(values) : values;
}

function rendered(result: ToolResult, base: Reply, deps: Rendering): Reply {
	switch (result.kind) {
		case "done": {
			const { output, text, asOf, links } = result;
			const line = lineOf(text, deps, asOf);
			return { ...base, kind: "done", line, data: output, asOf, links };
		}
		case "choose": {
			const suggestions = choicesOf(result, deps);
			return {
				...base,
				kind: "choose",
				line: askingLine(result.question, suggestions, deps),
				suggestions,
			};
		}
		case "refused":
			return refused(result.fault, base, deps);
		default:
			return unreachable(result);
	}
}

/**
 * Returns the question with as many of its choices as fit, each whole: half a choice is another.
 */
function askingLine(
	question: string,
	suggestions: Reply["suggestions"],
	{ lengthMax }: AgentDeps,
): string {
	let line = harmless(question);
	for (const [at, { label }] of suggestions.entries()) {
		const longer = `${line}${at === 0 ? " " : "; "}${label}`;
		const { codePoints, weighted } = replyLength(longer);
		if (Math.max(codePoints, weighted) > lengthMax) break;
		line = longer;
	}
	return renderLine(line, { lengthMax, asOfMs: null, nowMs: 0 });
}

/**
 * Returns the choices as complete commands. A choice that does not read back as itself is left out.
 */
function choicesOf(
	{ slot, choices }: Extract<ToolResult, { kind: "choose" }>,
	{ grammar, log, command, values }: Rendering,
): Reply["suggestions"] {
	return choices.slice(0, SUGGESTIONS_MAX).flatMap(({ value, label }) => {
		const text = attempt({ log }, () => {
			return grammar.print({ command, values: { ...values, [slot]: value } });
		});
		if (text === null) return [];
		const again = grammar.parse(text);
		const isSame =
			again.kind === "read" &&
			again.reading.command === command &&
			again.reading.values[slot] === value;
		return isSame ? [{ label: harmless(label), command: text }] : [];
	});
}

function notUnderstood({ code, detail, near }: Unread, deps: AgentDeps): Reply {
	const isRefused = code.startsWith("text_");
	const commands = near.length > 0 || isRefused ? near : firstQuestions(deps);
	const words = commands.length > 0 ? ` Try ${tryWords(commands)}.` : "";
	return {
		...NOTHING,
		kind: isRefused ? "refused" : "help",
		line: lineOf(`${detail}${words}`, deps),
		code,
		// A shape such as `send <amount> eth to <to>` is displayed, but cannot be sent.
		suggestions: commands
			.filter((command) => deps.grammar.parse(command).kind === "read")
			.map((command) => ({ label: command, command })),
	};
}

/** Returns two example questions that need no sign-in, and `help`. */
function firstQuestions({ grammar, tools }: AgentDeps): string[] {
	const open = new Set(
		tools.flatMap(({ name, effect, access }) =>
			effect === "read" && access === "everybody" ? [name] : [],
		),
	);
	const all = grammar.commands.filter(({ tool }) => open.has(tool));
	const help = all.filter(({ name }) => name === "help");
	const questions = all.filter((command) => !help.includes(command)).slice(0, 2);
	return [...questions, ...help].flatMap(({ examples: [example] }) => example ?? []);
}
