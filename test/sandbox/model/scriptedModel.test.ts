import { expect, test } from "bun:test";
import { scriptedModel } from "./scriptedModel.ts";

const ALICE = `0x${"a1".repeat(20)}`;

test("free ways of asking become strict commands of the same words", () => {
	const known: [string, string | null][] = [
		["what's hot right now", "trending"],
		["how much are kiln folk going for?", "floor kiln folk"],
		["what is the cheapest pale foxes", "floor pale foxes"],
		["what does harbor lights cost", "floor harbor lights"],
		["how much Kiln Folk was traded today?", "volume Kiln Folk"],
		["who holds the most kiln-folk?", "holders kiln-folk"],
		[`could you shoot 0.25 eth over to ${ALICE}`, `send 0.25 eth to ${ALICE}`],
		[`${ALICE} should have 1.5 eth from me`, `send 1.5 eth to ${ALICE}`],
		["tell me a joke", null],
		["", null],
	];
	for (const [text, command] of known) expect([text, scriptedModel(text)]).toEqual([text, command]);
});
