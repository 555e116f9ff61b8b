// Reads texts as commands again and again, and prints how many a second of the processor, and the
// time of the slowest text that no command reads, as one JSON line.
import { createGrammar } from "#agent/grammar/Grammar.ts";
import { TEXT_LENGTH_MAX } from "#agent/grammar/normaliseText.ts";
import { generateTexts } from "#agent/grammar/testing/generateTexts.ts";
import { builtinCommands, builtinOptions } from "#test/agent/builtinCommands.ts";
import { freshPhrasings } from "#test/agent/freshPhrasings.ts";
import { phrasings } from "#test/agent/phrasings.ts";

/** Seconds of the processor for warming up: the code is then compiled, as in a running service. */
const WARM_SECONDS = 2.5;
const ROUND_SECONDS = 0.4;
const ROUNDS = 5;

const UNREAD = 10_000;
const SEED = 30;
/** The fastest of so many counts: other work of the machine does not count. */
const TRIES = 3;

const grammar = createGrammar(builtinCommands, builtinOptions);
const isRead = (text: string) => grammar.parse(text).kind === "read";

const examples = builtinCommands.flatMap((command) => command.examples);
const printed = examples.flatMap((text) => {
	const parsed = grammar.parse(text);
	return parsed.kind === "read" ? [grammar.print(parsed.reading)] : [];
});
const typed = [...phrasings, ...freshPhrasings].map(([text]) => text).filter(isRead);

/** Returns the seconds of the whole process, as compiling and collecting share the core. */
function cpuSeconds(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1_000_000;
}

function readFor(seconds: number, texts: readonly string[]): number {
	const began = cpuSeconds();
	let taken = 0;
	let read = 0;
	while (taken < seconds) {
		for (const text of texts) grammar.parse(text);
		read += texts.length;
		taken = cpuSeconds() - began;
	}
	return read / taken;
}

function ratesOf(texts: readonly string[]): number[] {
	readFor(WARM_SECONDS, texts);
	return Array.from({ length: ROUNDS }, () => readFor(ROUND_SECONDS, texts));
}

/** Returns a text of the greatest length, made of one piece repeated. */
function full(piece: string): string {
	return `${piece} `.repeat(TEXT_LENGTH_MAX / 2).slice(0, TEXT_LENGTH_MAX);
}

/** Words that begin commands, whole and misspelled; words without a meaning; names; signs. */
const long = [
	...["floor", "flor", "florr volme slaes", "what is the", "how many", "of the", "kiln folk"],
	...["a", "24h", "1 day", '"kiln folk"', "0.5", "top holders", "is the", "trading collection"],
	...["holdres count of nft", "é", "🔥", "#12", "so about up out few", "who holds the most"],
	...builtinCommands.map(({ name }) => name),
].map(full);

function slowest() {
	const generated = generateTexts(builtinCommands, { seed: SEED, count: UNREAD });
	const unread = [...long, ...generated].filter((text) => !isRead(text));
	const times = unread.map((text) => {
		const tries = Array.from({ length: TRIES }, () => {
			const beganMs = performance.now();
			grammar.parse(text);
			return performance.now() - beganMs;
		});
		return { text, ms: Math.min(...tries) };
	});
	const worst = times.reduce((most, one) => (one.ms > most.ms ? one : most));
	return { texts: unread.length, ms: worst.ms, begins: worst.text.slice(0, 20) };
}

const told = {
	commands: { texts: printed.length, rates: ratesOf(printed) },
	typed: { texts: typed.length, rates: ratesOf(typed) },
	unread: slowest(),
};
process.stdout.write(`${JSON.stringify(told)}\n`);
