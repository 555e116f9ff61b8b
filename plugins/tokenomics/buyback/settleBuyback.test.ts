import { expect, test } from "bun:test";
import {
	encodeAbiParameters,
	encodeEventTopics,
	encodeFunctionData,
	type Hex,
	pad,
	toHex,
} from "viem";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { settleBuyback, supplyFell } from "#plugins/tokenomics/buyback/settleBuyback.ts";
import { buybackBurnerAbi as abi } from "#plugins/tokenomics/contracts/abi.ts";

// Guarantee: a run is done only where the burner's own event and what the currency moved say so,
// and what is kept as spent is never more than was planned.

const address = (digit: string): Address => `0x${digit.repeat(40)}`;
const [burner, keeper, usd, pool] = ["b", "c", "d", "e"].map(address) as [
	Address,
	Address,
	Address,
	Address,
];
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

const dataOf = (paidWith: Address) =>
	encodeFunctionData({
		...{ abi, functionName: "buyAndBurn" },
		args: [paidWith, 100n, 3000, 50n, 2_000n],
	});

function burned(told: {
	by?: Address;
	of?: Address;
	paidWith?: Address;
	spent?: bigint;
	burned?: bigint;
}) {
	const {
		by = burner,
		of = keeper,
		paidWith = ZERO_ADDRESS,
		spent = 100n,
		burned: raw = 60n,
	} = told;
	const args = { keeper: of, paidWith };
	const topics = encodeEventTopics({ abi, eventName: "BoughtAndBurned", args }) as Hex[];
	const types = [{ type: "uint256" }, { type: "uint256" }, { type: "address" }] as const;
	return { address: by, topics, data: encodeAbiParameters(types, [spent, raw, pool]) };
}

const moved = (from: Address, to: Address, raw: bigint) => ({
	...{ address: usd, topics: [TRANSFER, pad(from), pad(to)] as Hex[] },
	data: toHex(raw, { size: 32 }),
});

const settle = (logs: ReturnType<typeof burned>[], paidWith = ZERO_ADDRESS) =>
	settleBuyback({ logs }, { burner, keeper, paidWith, data: dataOf(paidWith) }).settlement;

test("the amount that the burner reports as spent is recorded, also if a part was refunded", () => {
	expect(settle([burned({})])).toEqual({ spentRaw: 100n });
	expect(settle([burned({ spent: 70n })])).toEqual({ spentRaw: 70n });
	const came = [
		moved(keeper, burner, 100n),
		burned({ paidWith: usd, spent: 70n }),
		moved(burner, keeper, 30n),
	];
	expect(settle(came, usd)).toEqual({ spentRaw: 70n });
});

test.each([
	["no event", []],
	["another contract's", [burned({ by: pool })]],
	["another keeper's", [burned({ of: pool })]],
	["of another currency", [burned({ paidWith: usd })]],
	["two of them", [burned({}), burned({})]],
])(
	"a buyback without exactly one burn event of its own does not count as burned: %s",
	(_why, logs) => {
		expect(settle(logs)).toMatchObject({ code: "not_burned" });
	},
);

test("a buyback that burned less than the minimum fails, and its money counts as spent", () => {
	expect(settle([burned({ burned: 49n })])).toMatchObject({
		code: "burned_too_little",
		spentRaw: 100n,
	});
});

test("a reported amount that differs from the transfers fails, and the planned amount counts as spent", () => {
	expect(settle([burned({ spent: 101n })])).toMatchObject({
		code: "spend_misreported",
		spentRaw: 100n,
	});
	const logs = [moved(keeper, burner, 101n), burned({ paidWith: usd })];
	expect(settle(logs, usd)).toMatchObject({ code: "spend_misreported", spentRaw: 100n });
});

test("a supply that did not fall is noticed; with a pruned state the answer is unknown", async () => {
	const asked = { token: usd, blockNumber: 9, burnedRaw: 60n, signal: AbortSignal.timeout(60_000) };
	const fell = (before: unknown, after: unknown) => {
		const settled = [before, after].map((result) => ({ kind: "result" as const, result }));
		return supplyFell({ rpc: { settle: async () => settled } }, asked);
	};
	const word = (raw: bigint) => toHex(raw, { size: 32 });
	expect(await fell(word(1_000n), word(940n))).toBe(true);
	expect(await fell(word(1_000n), word(941n))).toBe(false);
	expect(await fell("0x", word(940n))).toBeNull();
});
