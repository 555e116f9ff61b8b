// Judges what the agent makes of texts without a model: as meant, asked back, unread, or wrong.

import { createGrammar, type Reading } from "#agent/grammar/Grammar.ts";
import type { KnownName } from "#core/plugin/Tool.ts";
import { builtinCommands, builtinOptions, builtinTools } from "#test/agent/builtinCommands.ts";
import { stocks } from "#test/sandbox/stocks/stockCatalogue.ts";

/**
 * Says what becomes of a text: `read` as this command, with what the answer says that it leaves
 * out; `asked` back, because no collection has the name that was read in it; null where it is not
 * read.
 */
export type Outcome =
	| { read: string; leftOut: string | null }
	| { asked: string; leftOut: string | null }
	| null;
export type Read = (text: string) => Outcome;

/** A text with the command that it means; null for what no command answers. */
export type MeantText = readonly [text: string, command: string | null];

export type Judged = {
	questions: number;
	/** Questions that a command answers. */
	inScope: number;
	asMeant: number;
	/** Those read as meant whose answer says that it leaves words out. */
	noted: number;
	asked: number;
	unread: number;
	/** Answered with another figure than was asked, in silence. */
	wrong: string[];
};

const grammar = createGrammar(builtinCommands, builtinOptions);

/** Makes the reader of texts for a service that knows these names. */
export function readWith(names: ReadonlyMap<string, KnownName>, isBare = false): Read {
	return (text) => {
		const asked = isBare ? [] : grammar.namesIn(text);
		const parsed = grammar.parse(
			text,
			new Map([...names].filter(([name]) => asked.includes(name))),
		);
		if (parsed.kind === "unread" || isRefused(parsed.reading)) return null;
		const { leftOut } = parsed;
		const { collection, query } = parsed.reading.values;
		const isKnown = names.get((collection ?? query ?? "").toLowerCase())?.kind === "collection";
		const command = meaningOf(parsed.reading);
		return parsed.isGuess && !isKnown ? { asked: command, leftOut } : { read: command, leftOut };
	};
}

/** Returns true for values that the tool refuses in words: `trending 30d` gets no figure. */
function isRefused({ command, values }: Reading): boolean {
	const tool = builtinTools.find(({ name }) => name === command.tool);
	return tool?.input.safeParse(command.input?.(values) ?? values).success === false;
}

/** Returns the meaning of a command; null for none. */
export function meaningIn(command: string | null): string | null {
	const parsed = command === null ? undefined : grammar.parse(command);
	return parsed?.kind === "read" ? meaningOf(parsed.reading) : null;
}

/** Returns true for a command that only reads the market. */
export function isOfMarket(command: string): boolean {
	const parsed = grammar.parse(command);
	if (parsed.kind === "unread") return false;
	const { tool } = parsed.reading.command;
	return builtinTools.some(({ name, capability }) => name === tool && capability === "market");
}

/** Returns the names of collections in commands, and the shares of the sandbox with companies. */
export function namesOf(texts: readonly MeantText[]): Map<string, KnownName> {
	const known = new Map<string, KnownName>();
	for (const [, meant] of texts) {
		const parsed = meant === null ? undefined : grammar.parse(meant);
		const { collection: value, asset } = parsed?.kind === "read" ? parsed.reading.values : {};
		if (asset) known.set(asset.toLowerCase(), { kind: "asset", ticker: asset });
		if (value) known.set(value.toLowerCase(), { kind: "collection" });
	}
	for (const { ticker, name } of stocks) {
		for (const text of [ticker, name]) known.set(text.toLowerCase(), { kind: "asset", ticker });
	}
	return known;
}

/**
 * Judges texts. Wrong is an answer in silence that is not the meant one, also where none was meant;
 * an answer that says what it leaves out is not, unless it is of another command.
 */
export function judge(texts: readonly MeantText[], read: Read): Judged {
	const judged: Judged = {
		...{ questions: texts.length, inScope: 0, asMeant: 0, noted: 0, asked: 0, unread: 0 },
		wrong: [],
	};
	for (const [text, command] of texts) {
		const got = read(text);
		const means = meaningIn(command);
		if (command !== null) judged.inScope += 1;
		if (got === null) judged.unread += 1;
		else if ("asked" in got) judged.asked += 1;
		else if (got.read === means) {
			judged.asMeant += 1;
			if (got.leftOut !== null) judged.noted += 1;
		} else if (command !== null || got.leftOut === null) {
			judged.wrong.push(`${text} => ${got.read}, not ${command}`);
		}
	}
	return judged;
}

/**
 * The same text for two commands that have the same answer: `ended drops`, `drops ended`; a name
 * with and without its article, as whoever resolves it tries both.
 */
function meaningOf({ command, values }: Reading): string {
	const { name, tool } = command;
	const typed = command.input?.(values) ?? values;
	// With what the tool takes where nothing is said: a volume is of 24 hours.
	const input = builtinTools.find((one) => one.name === tool)?.input.safeParse(typed);
	const named = Object.entries(input?.success ? input.data : typed).toSorted(([one], [other]) =>
		one < other ? -1 : 1,
	);
	return JSON.stringify([tool === "read_drops" ? tool : name, named])
		.toLowerCase()
		.replace('"the ', '"');
}

/**
 * Reads a file of fresh texts: in each line a text, a tab, and the command that it means or `-`.
 * Lines that begin with `names:` list further names of collections, separated by commas.
 */
export function textsIn(file: string): { texts: MeantText[]; names: string[]; flaws: string[] } {
	const [texts, names, flaws]: [MeantText[], string[], string[]] = [[], [], []];
	for (const line of file.split("\n").filter((one) => one.trim() !== "")) {
		if (line.startsWith("names:")) {
			names.push(
				...line
					.slice(6)
					.split(",")
					.map((name) => name.trim().toLowerCase()),
			);
			continue;
		}
		const [text = "", command = ""] = line.split("\t");
		const meant = command.trim() === "-" ? null : command.trim();
		if (meant !== null && meaningIn(meant) === null) flaws.push(line);
		else texts.push([text, meant]);
	}
	return { texts, names, flaws };
}

if (import.meta.main) {
	const { texts, names, flaws } = textsIn(await Bun.file(process.argv[2] ?? "").text());
	const known = namesOf(texts);
	for (const name of names) known.set(name, { kind: "collection" });
	const { wrong, questions, inScope, asMeant, noted, asked, unread } = judge(
		texts,
		readWith(known),
	);
	const share = (count: number, all: number) => `${count} of ${all} (${percent(count, all)} %)`;
	for (const flaw of flaws) console.error(`no command reads the meaning of: ${flaw}`);
	for (const one of wrong) console.error(`wrong: ${one}`);
	console.info(`read as meant: ${share(asMeant, inScope)}, goal at least 75 %`);
	console.info(`with another figure: ${share(wrong.length, questions)}, goal at most 1 %`);
	console.info(`with a note: ${share(noted, inScope)}, goal at most 10 %`);
	console.info(`asked back ${asked}, unread ${unread}`);
}

function percent(count: number, all: number): string {
	return all === 0 ? "-" : ((count / all) * 100).toFixed(1);
}
