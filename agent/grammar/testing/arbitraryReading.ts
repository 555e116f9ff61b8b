import fc from "fast-check";
import { type FormItem, parseForms } from "#agent/grammar/forms.ts";
import type { Reading } from "#agent/grammar/Grammar.ts";
import type { Command, Slot } from "#core/plugin/Tool.ts";

/**
 * Generates readings of a command: each set of slots that its first form prints, with any values.
 */
export function arbitraryReading(command: Command): fc.Arbitrary<Reading> {
	const [form = []] = parseForms(command);
	return slotSets(form)
		.chain((names) =>
			fc.record(Object.fromEntries(names.map((name) => [name, valueFor(command.slots[name])]))),
		)
		.map((values) => ({ command, values }));
}

function slotSets(items: FormItem[]): fc.Arbitrary<string[]> {
	const parts = items.map((item) => {
		if (item.kind === "word") return fc.constant<string[]>([]);
		if (item.kind === "slot") return fc.constant([item.name]);
		return fc.oneof(...item.options.map(slotSets));
	});
	return fc.tuple(...parts).map((sets) => sets.flat());
}

const hex = (length: number) =>
	fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length });
const address = hex(40).map((digits) => `0x${digits}`);
const digits = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String);
const fraction = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 18 });
const amount = fc
	.tuple(fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.option(fraction))
	.map(([whole, part]) => (part === null ? `${whole}` : `${whole}.${part}`))
	.filter((text) => /[1-9]/.test(text) && !/^[1-9]\d{0,2}\.000$/.test(text));
const ticker = fc.oneof(
	fc.constantFrom("AAPL", "ETH", "BRK.B", "ON", "ALL", "MY", "BUY", "HALF", "BASE", "TO", "BRIDGE"),
	fc.stringMatching(/^[A-Z][A-Z0-9]{0,9}$/),
);
/** Names made of words that commands use, of any signs, and of other scripts. */
const name = fc
	.oneof(
		fc
			.array(
				fc.constantFrom(
					...[
						"kiln",
						"Folk",
						"floor",
						"on",
						"base",
						"buy",
						"of",
						"24h",
						"#7",
						"7",
						"please",
						"the",
					],
					...["sell", "top", "0x12", "and", "my", "wallets", "what", "d&d", "1,000", "é", "it's"],
				),
				{ minLength: 1, maxLength: 9 },
			)
			.map((words) => words.join(" ")),
		fc.stringMatching(/^[ !#-~]{1,60}$/),
		fc.constantFrom("キルン", "Привет мир", "kiln-folk", "bored™ ♥", "🔥 fire", "สวัสดี"),
		address,
	)
	.map((text) => text.replace(/ +/g, " ").trim())
	.filter((text) => text !== "" && (!/^0x.{40}$/i.test(text) || text === text.toLowerCase()));

function valueFor(slot: Slot | undefined): fc.Arbitrary<string> {
	switch (slot?.kind) {
		case "amount":
			return amount;
		case "percent":
			return fc.integer({ min: 1, max: 100 }).map(String);
		case "asset":
			return fc.oneof(ticker, address);
		case "collection":
			return name;
		case "token":
			return digits;
		case "chain":
			return fc.constantFrom("base", "ethereum", "robinhood", "apechain");
		case "address":
			return address;
		case "window":
			return fc.constantFrom("5m", "1h", "6h", "24h", "7d", "30d");
		case "period":
			return fc.constantFrom(
				...["30m", "7d", "3h-ago", "october-utc", "yesterday-utc", "2026-10", "2026-10-14"],
				...["monday-14:00-utc", "october-14-09:05-utc", "2026-10-14-23:59"],
			);
		case "id":
			return fc.uuid();
		case "word":
			return fc.constantFrom(...slot.of);
		default:
			throw new Error("a form names a slot that is not there");
	}
}
