import { describe, expect, test } from "bun:test";
import { keepsQualifiers } from "#agent/model/keepsQualifiers.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";
import type { Command, Slot } from "#core/plugin/Command.ts";

const KINDS = ["amount", "percent", "collection", "token", "chain", "address", "window"] as const;
const command: Command = {
	name: "all",
	forms: [],
	slots: {
		...Object.fromEntries(KINDS.map((kind): [string, Slot] => [kind, { kind }])),
		share: { kind: "word", of: ["all", "half"] },
	},
	tool: "read_all",
	summary: "",
	examples: [],
};
const chains = createChainRegistry(builtinChains);
const ALICE = `0x${"a1".repeat(20)}`;

const keeps = (text: string, values: Record<string, string>, isStrict = false) =>
	keepsQualifiers({ command, values }, text, { chains, isStrict: () => isStrict });

describe("[SOC-07] what narrows a text is in its reading, or there is none", () => {
	const cases: [string, Record<string, string>, boolean][] = [
		["cheap kiln on base", { collection: "kiln" }, false],
		["cheap kiln on base", { collection: "kiln", chain: "base" }, true],
		["cheap kiln on the Base chain", { collection: "kiln", chain: "ethereum" }, false],
		["cheap base gods", { collection: "base gods" }, true],
		["kiln over 2 weeks", { collection: "kiln", window: "7d" }, false],
		["kiln over 2 weeks", { collection: "kiln" }, false],
		["kiln over 7 days", { collection: "kiln", window: "7d" }, true],
		["kiln in 24 hours", { collection: "kiln", window: "24h" }, true],
		["kiln this week", { collection: "kiln", window: "7d" }, true],
		["is #12 of kiln rare", { collection: "kiln" }, false],
		["is #12 of kiln rare", { collection: "kiln", token: "12" }, true],
		["is kiln 5% up", { collection: "kiln" }, false],
		["is kiln 5% up", { percent: "5", collection: "kiln" }, true],
		[`kiln or ${ALICE.toUpperCase().replace("X", "x")}`, { collection: "kiln" }, false],
		[`floor ${ALICE}`, { collection: ALICE }, true],
		["is kiln under 2 eth", { collection: "kiln" }, true],
	];
	for (const [text, values, isKept] of cases) {
		test(JSON.stringify([text, values]), () => expect(keeps(text, values)).toBe(isKept));
	}
});

describe("[SOC-07] what moves something has every number and share that was written", () => {
	const cases: [string, Record<string, string>, boolean][] = [
		["send 2 eth, or 3 if you can", { amount: "2" }, false],
		["send 2 eth", { amount: "2" }, true],
		[`send 2 eth to ${ALICE}`, { amount: "2", address: ALICE }, true],
		["sell half of it", {}, false],
		["sell half of it", { share: "half" }, true],
		["sell it", {}, true],
	];
	for (const [text, values, isKept] of cases) {
		test(JSON.stringify([text, values]), () => expect(keeps(text, values, true)).toBe(isKept));
	}
});
