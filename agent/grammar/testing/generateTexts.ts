// Generates texts like those of people, programs and attackers.

import { type FormItem, parseForms } from "#agent/grammar/forms.ts";
import type { Command, Slot } from "#core/plugin/Tool.ts";

/**
 * Generates texts like those of people, programs and attackers: commands with values, whole or
 * damaged, joined, misspelled, polite, and mixed with unusual characters. The same seed makes the
 * same texts.
 */
export function* generateTexts(
	commands: readonly Command[],
	{ seed, count }: { seed: number; count: number },
): Generator<string> {
	const random = seeded(seed);
	const all = commands.map((command) => parseForms(command).map((form) => ({ command, form })));
	const sources = all.flat();
	for (let n = 0; n < count; n++) {
		const { command, form } = pick(pick(all, random), random);
		let words = wordsFor(form, command, random);
		while (random() < 0.5) words = pick(MUTATIONS, random)(words, random, sources);
		yield words.join(random() < 0.03 ? "  " : " ");
	}
}

type Random = () => number;
type Source = { command: Command; form: FormItem[] };
type Mutation = (words: string[], random: Random, sources: readonly Source[]) => string[];

function wordsFor(items: FormItem[], command: Command, random: Random): string[] {
	return items.flatMap((item) => {
		if (item.kind === "word") return [item.word];
		if (item.kind === "any") return wordsFor(pick(item.options, random), command, random);
		const slot = command.slots[item.name];
		return slot ? [valueFor(slot, random)] : [];
	});
}

const MUTATIONS: readonly Mutation[] = [
	(words, random) => words.filter((_, at) => at !== at0(words, random)),
	(words, random) => insert(words, pick(words.length ? words : ["x"], random), random),
	(words, random) => {
		const at = at0(words, random);
		return words.map((word, n) => (n === at ? (words[at - 1] ?? word) : word));
	},
	(words, random) => [pick(FILLERS, random), ...words],
	(words, random) => [...words, pick(FILLERS, random)],
	(words, random) => insert(words, pick(FILLERS, random), random),
	(words, random) => insert(words, pick(ODD, random), random),
	(words, random) => misspell(words, random),
	(words, random) => words.map((word) => (random() < 0.5 ? word.toUpperCase() : word)),
	(words, random, sources) => {
		const { command, form } = pick(sources, random);
		return [
			...words,
			pick([";", "and", "then", ",", "\n", "."], random),
			...wordsFor(form, command, random),
		];
	},
	(words, random, sources) => {
		const { command } = pick(sources, random);
		const [slot] = Object.values(command.slots);
		return slot ? insert(words, valueFor(slot, random), random) : words;
	},
];

const FILLERS = [
	...["please", "hey", "what is the", "show me", "?", "!", ".", "now", "right now", "ser", "the"],
	...[
		"do not",
		"never",
		"if it falls",
		"tomorrow",
		"not",
		"can you",
		"gm",
		"thanks",
		"of",
		"on base",
	],
];

const ODD = [
	...[
		"\u200b",
		"\u202e",
		"\u0430",
		"\u0661",
		"½",
		"1,000",
		"1 000",
		"1_000",
		"🔥",
		"é",
		"🏴‍☠️",
		"\u0000",
	],
	...[
		'"',
		'"floor"',
		"'",
		"$",
		"#",
		"@bot",
		"https://a.example/b",
		"0x",
		"0x12",
		"1e18",
		"-1",
		".5",
	],
	...["\ud800", "\t", "\n", "{collection}", "[", "(", "<b>", "=", "\\", "ﬁ", "Ⅷ", "𝟓", "％", "；"],
];

const NAMES = [
	...[
		"kiln folk",
		"kiln-folk",
		"azuki",
		"the potatoz",
		"hold me",
		"art blocks 500",
		"life on mars",
	],
	...[
		"0x1111111111111111111111111111111111111111",
		'"floor"',
		'"buy 1 aapl"',
		"pokémon",
		"top shot",
	],
	...["on base", "24h club", "sell", "7", "d&d", "floor floor", "my bags", "a b c d e f g h"],
];

const VALUES: Readonly<Record<Exclude<Slot["kind"], "word">, readonly string[]>> = {
	amount: ["1", "0.5", "1000", "0", "0.000000000000000001", "8453", "01", "1."],
	percent: ["50%", "100%", "1%", "0%", "101%"],
	asset: ["AAPL", "$aapl", "eth", "ON", "$ON", "usdg", "base", "buy", "brk.b"],
	collection: NAMES,
	token: ["#12", "12", "0", "8453"],
	chain: ["base", "8453", "eth", "ape_chain", "mars"],
	address: [`0x${"1".repeat(40)}`, `0x${"aB".repeat(20)}`, `0x${"1".repeat(39)}`],
	window: ["24h", "7d", "1 day", "today", "week", "2h"],
	period: ["7d", "last 3 days", "in october", "yesterday at 14:00", "2026-10-14", "3h-ago", "2h"],
	id: ["0190b2c4-5d6e-7f80-9a1b-2c3d4e5f6071", "0190b2c4"],
};

function valueFor(slot: Slot, random: Random): string {
	const sign = slot.kind === "amount" && slot.isDollars && random() < 0.9 ? "$" : "";
	return `${sign}${pick(slot.kind === "word" ? slot.of : VALUES[slot.kind], random)}`;
}

function misspell(words: string[], random: Random): string[] {
	const at = at0(words, random);
	return words.map((word, n) => {
		const cut = Math.floor(random() * word.length);
		if (n !== at) return word;
		const letter = pick([..."aeinorst", ""], random);
		return word.slice(0, cut) + letter + word.slice(cut + (random() < 0.7 ? 1 : 0));
	});
}

function insert(words: string[], word: string, random: Random): string[] {
	const at = Math.floor(random() * (words.length + 1));
	return [...words.slice(0, at), word, ...words.slice(at)];
}

function at0(words: string[], random: Random): number {
	return Math.floor(random() * words.length);
}

function pick<T>(list: readonly T[], random: Random): T {
	return list[Math.floor(random() * list.length)] as T;
}

/** Returns a generator of numbers from 0 to 1 (Mulberry32). */
function seeded(seed: number): Random {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}
