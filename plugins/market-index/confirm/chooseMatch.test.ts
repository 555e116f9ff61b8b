import { expect, test } from "bun:test";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { type Candidate, chooseMatch } from "#plugins/market-index/confirm/chooseMatch.ts";
import { contractOf, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";

const [ALICE, BOB, CAROL] = [contractOf(1), contractOf(2), contractOf(3)];
const TX = `0x${"7".repeat(64)}` as const;
const STAND_IN = `0x${"0".repeat(16)}${"5".repeat(48)}` as const;

const stored = (given: Partial<Candidate> = {}): Candidate => ({
	kind: "sale",
	transactionHash: TX,
	tokenId: 7n,
	from: ALICE,
	to: BOB,
	occurredAtMs: NOW_MS,
	onchainVerified: true,
	accepted: true,
	payload: null,
	...given,
});
const mint = stored({ kind: "mint", from: ZERO_ADDRESS });
const told = stored;
const matches = (said: Candidate, ...all: Candidate[]) => chooseMatch(said, all, "erc721");

test("[MRG-07] the same kind, token and transaction is the same event, whoever is said to be in it", () => {
	const chain = stored();
	expect(matches(told({ from: CAROL, to: ALICE }), chain)).toBe(chain);
	expect(matches(told({ tokenId: 8n }), chain)).toBeNull();
	expect(matches(told({ transactionHash: `0x${"8".repeat(64)}` }), chain)).toBeNull();
	expect(matches(told({ kind: "mint" }), chain)).toBeNull();
	expect(matches(told({ kind: "transfer" }), chain)).toBeNull();
});

test("[MRG-07] a transfer is a mint's duplicate where both went to the same account, and no sale's", () => {
	const transfer = told({ kind: "transfer", from: CAROL });
	expect(matches(transfer, mint)).toBe(mint);
	expect(matches({ ...transfer, to: ALICE }, mint)).toBeNull();
	expect(matches(mint, transfer)).toBeNull();
});

test("of several the one that counts goes first, then the same parties, then one without the provider's words", () => {
	const mirror = stored({ accepted: false });
	const spoken = stored({ payload: {} });
	const others = stored({ from: CAROL });
	const alone = stored({ onchainVerified: false });
	expect(matches(told(), mirror, others)).toBe(others);
	expect(matches(told(), others, spoken)).toBe(spoken);
	const silent = stored();
	expect(matches(told(), spoken, silent)).toBe(silent);
	expect(matches(told(), alone, mirror)).toBe(mirror);
});

test("an ERC-1155 token is bought from several at once: what only the provider told is one of them", () => {
	const alone = stored({ onchainVerified: false });
	const other = told({ from: CAROL });
	expect(chooseMatch(other, [alone], "erc1155")).toBeNull();
	expect(chooseMatch(told({ from: BOB, to: ALICE }), [alone], "erc1155")).toBe(alone);
	expect(chooseMatch(other, [alone], "erc721")).toBe(alone);
	expect(chooseMatch(other, [stored()], "erc1155")).not.toBeNull();
});

test("without a transaction the token, the two and about the time decide", () => {
	const said = told({ transactionHash: STAND_IN });
	const chain = stored();
	expect(matches(said, chain)).toBe(chain);
	expect(matches({ ...said, occurredAtMs: NOW_MS - 600_000 }, chain)).toBe(chain);
	expect(matches({ ...said, occurredAtMs: NOW_MS - 600_001 }, chain)).toBeNull();
	expect(matches({ ...said, from: CAROL }, chain)).toBeNull();
	const otherStandIn = stored({ transactionHash: `${STAND_IN.slice(0, -1)}6` as never });
	expect(matches(said, otherStandIn)).toBeNull();
	expect(matches({ ...said, kind: "transfer", from: CAROL }, mint)).toBe(mint);
});
