import { type FormItem, parseForms } from "#agent/grammar/forms.ts";
import type { Command, Slot } from "#core/plugin/Tool.ts";

/**
 * Describes independently, as a pattern, which texts a command that moves value reads: the whole
 * text, word by word, with values of the right form in their places.
 */
export function strictPattern(command: Command): RegExp {
	const forms = parseForms(command).map((form) => patternOf(form, command));
	return new RegExp(`^\\s*(?:${forms.join("|")})\\s*$`, "iu");
}

function patternOf(items: FormItem[], command: Command): string {
	return items
		.map((item) => {
			if (item.kind === "word") return `${item.word}(?:\\s+|$)`;
			if (item.kind === "slot") return `(?:${valueFor(command.slots[item.name])})(?:\\s+|$)`;
			return `(?:${item.options.map((option) => patternOf(option, command)).join("|")})`;
		})
		.join("");
}

function valueFor(slot: Slot | undefined): string {
	if (slot?.kind === "word") return slot.of.join("|");
	if (slot?.kind === "amount" && slot.isDollars) return `\\$${PATTERNS.amount}`;
	return slot ? PATTERNS[slot.kind] : "";
}

const PATTERNS: Readonly<Record<Exclude<Slot["kind"], "word">, string>> = {
	amount: "\\d+(?:\\.\\d+)?",
	percent: "\\d+%",
	asset: "\\$?[a-z][a-z0-9.-]*|0x[0-9a-f]{40}",
	collection: '"[^"]+"|[^\\s";,!?()|]+(?:\\s+[^\\s";,!?()|]+){0,7}',
	token: "#?\\d+",
	chain: "[a-z0-9_-]+",
	address: "0x[0-9a-f]{40}",
	window: "5m|1h|6h|24h|7d|30d",
	period: "[a-z0-9:-]+",
	id: "[0-9a-f-]{36}",
};
