import { expect, test } from "bun:test";
import { type Fact, transitions } from "#plugins/wallets/reconcile/transitions.ts";

// Guarantee: every pair of a state and a finding has one outcome, written here a second time.

const FACTS: readonly Fact[] = [
	...(["waits", "told", "mined", "reverted", "claimed"] as const),
	...(["dropped", "refused", "unknown", "never"] as const),
];

/** Each state, with what each finding makes of it, in the order of `FACTS`. */
const EXPECTED = {
	sending: "sent sent mined reverted reverted dropped refused doubtful never",
	sent: "sent sent mined reverted reverted dropped refused doubtful never",
	doubtful: "sent sent mined reverted reverted dropped refused doubtful never",
	dropped: "sent sent mined reverted reverted dropped refused doubtful never",
	refused: "sent sent mined reverted reverted dropped refused doubtful never",
	mined: "sent sent mined reverted reverted dropped refused doubtful never",
	reverted: "sent sent mined reverted reverted dropped refused doubtful never",
	denied: "sent sent mined reverted never dropped refused never never",
	never: "never never mined reverted never never never never never",
};

test("[TRD-08] each state goes where each finding leads", () => {
	const walked = Object.entries(transitions).map(([state, ways]) => {
		expect(Object.keys(ways).toSorted()).toEqual(FACTS.toSorted());
		return [state, FACTS.map((fact) => ways[fact]).join(" ")];
	});
	expect(Object.fromEntries(walked)).toEqual(EXPECTED);
});

test("what is proved never to be mined is left only by a block that has it", () => {
	const left = FACTS.filter((fact) => transitions.never[fact] !== "never");
	expect(left).toEqual(["mined", "reverted"]);
});
