import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Address, encodeFunctionData, type Hex, zeroAddress } from "viem";
import { type BridgeLab, openBridgeLab, USDG } from "#test/harness/openBridgeLab.ts";
import { dollarAbi } from "#test/sandbox/bridge/BridgeWorld.ts";
import { createMessenger, type Messenger } from "#test/sandbox/bridge/createMessenger.ts";

// Guarantee: a token that crosses by itself is sent where both contracts name each other on their
// own chains, costs no more than may be offered, and has arrived when the other chain says so.

const PATH = "/v1/bridges/intents";
const HOME_EID = 30_416;
const MARKET_EID = 30_101;
const ALICE = "0x00000000000000000000000000000000000a11ce";
const ROUTE = { amount: "5", currency: "USDG", from: "robinhood", to: "anvil", mode: "direct" };
const RAW = 5_000_000n;
const FEE = 100_000_000_000_000n;

let lab: BridgeLab;
let messenger: Messenger;
let wallet: { id: string; address: Hex };
let ofts: { home: Address; market: Address };
let gone: string | null = null;
let isGone = false;

beforeAll(async () => {
	lab = await openBridgeLab({
		async observeSteps(step, edge) {
			if (gone === `${step}:${edge}`) isGone = true;
			if (isGone) throw new Error("the process is gone");
		},
		async envOf({ bridge }) {
			const [market, home] = bridge.chains;
			if (!market || !home) throw new Error("no chains");
			messenger = await createMessenger([
				{ chain: market, eid: MARKET_EID, inner: zeroAddress },
				{ chain: home, eid: HOME_EID, inner: USDG },
			]);
			const oftOf = (chainId: number) => messenger.ofts.get(chainId) as Address;
			ofts = { market: oftOf(31_337), home: oftOf(4_663) };
			const ends = {
				31337: { eid: MARKET_EID, oft: ofts.market },
				4663: { eid: HOME_EID, oft: ofts.home },
			};
			return { BRIDGE_DIRECT_JSON: JSON.stringify([{ symbol: "USDG", ends }]) };
		},
	});
	wallet = await lab.enrol();
	const args = [wallet.address, 1_000_000_000n] as const;
	const data = encodeFunctionData({ abi: dollarAbi, functionName: "mint", args });
	const [from] = await lab.home.rpc<string[]>("eth_accounts");
	await lab.home.rpc("eth_sendTransaction", [{ from, to: USDG, data }]);
	await lab.home.mined();
});
afterAll(async () => {
	await messenger?.stop();
	await lab?.stop();
});
beforeEach(async () => {
	messenger.carry(true);
	for (const chainId of [4_663, 31_337]) await messenger.setFee(chainId, FEE);
	await messenger.setPeer(4_663, MARKET_EID, ofts.market);
	await messenger.setPeer(31_337, HOME_EID, ofts.home);
});

const bridge = async (more: object = {}) => (await lab.ask(PATH, { ...ROUTE, ...more })).body;
const held = async (chain: "home" | "market", owner: string) => {
	const token = chain === "home" ? USDG : ofts.market;
	const args = [owner as Hex] as const;
	const data = encodeFunctionData({ abi: dollarAbi, functionName: "balanceOf", args });
	return BigInt(await lab[chain].rpc<string>("eth_call", [{ to: token, data }, "latest"]));
};
const nonce = async () =>
	Number(await lab.home.rpc<string>("eth_getTransactionCount", [wallet.address, "latest"]));
const db = () => lab.service.core.db;

test("[BRG-08] a token is bridged by its own contracts, and its arrival is read from the other chain", async () => {
	const before = { home: await held("home", wallet.address), quotes: lab.bridge.ledger().length };
	const started = await bridge();
	expect(started).toMatchObject({
		...{ errorCode: null, mode: "direct", recipient: wallet.address },
		quote: { minimumOutRaw: String(RAW), expectedOutRaw: String(RAW) },
		steps: [
			{ kind: "approve", to: USDG },
			{ kind: "deposit", to: ofts.home, valueRaw: String(FEE) },
		],
	});
	const done = await lab.reached(started.id, ["success", "failure", "rejected"]);
	expect(done).toMatchObject({
		...{ status: "success", errorCode: null },
		arrived: { verified: true, chainId: 31_337, amountRaw: String(RAW), currency: ofts.market },
	});
	expect(before.home - (await held("home", wallet.address))).toBe(RAW);
	// The bridge provider was asked for nothing.
	expect(lab.bridge.ledger()).toHaveLength(before.quotes);
});

test("[BRG-08] a token is bridged back without an allowance, to another recipient", async () => {
	const back = { from: "anvil", to: "robinhood", amount: "2", recipient: ALICE };
	const before = await held("home", ALICE);
	const started = await bridge(back);
	expect(started).toMatchObject({ errorCode: null, steps: [{ kind: "deposit", to: ofts.market }] });
	const intent = await db().query<{ plan: any }>("select plan from wallets.intent where id = $1", [
		started.intentId,
	]);
	expect(intent[0]?.plan).toMatchObject({ recipient: ALICE, feeRaw: String(FEE) });
	const done = await lab.reached(started.id, ["success", "failure", "rejected"]);
	expect(done.status).toBe("success");
	expect((await held("home", ALICE)) - before).toBe(2_000_000n);
});

describe("a route that cannot be verified on both chains is refused before anything is signed", () => {
	const refused = async (code: string, more: object = {}) => {
		const before = await nonce();
		const { status, errorCode, intentId } = await bridge(more);
		expect({ status, errorCode, intentId }).toEqual({
			...{ status: "rejected", errorCode: code, intentId: null },
		});
		expect(await nonce()).toBe(before);
	};

	test("[BRG-08] a route whose origin contract names another peer", async () => {
		await messenger.setPeer(4_663, MARKET_EID, ALICE);
		await refused("peer_unverified");
	});

	test("[BRG-08] a route whose destination contract names another peer", async () => {
		await messenger.setPeer(31_337, HOME_EID, ALICE);
		await refused("peer_unverified");
	});

	test("a route whose contracts name no peer is refused", async () => {
		await messenger.setPeer(4_663, MARKET_EID, zeroAddress);
		await messenger.setPeer(31_337, HOME_EID, zeroAddress);
		await refused("peer_unverified");
	});

	test("a token that is not configured is refused", () =>
		refused("mode_unsupported", { currency: "ETH" }));
	test("another token on the destination is refused", () =>
		refused("currency_unknown", { as: "ETH" }));
	test("an amount that the contract would round is refused", () => {
		return refused("amount_invalid", { amount: "1.000001" });
	});
});

test("[BRG-08] a message fee above the limit is refused, also for an owner's own wallet", async () => {
	const before = await nonce();
	// 200 dollars are 0.1 ether.
	for (const chainId of [4_663, 31_337]) {
		await messenger.setFee(chainId, 110_000_000_000_000_000n);
	}
	const tooDear = { status: "rejected", errorCode: "network_fee_limit" };
	expect(await bridge()).toMatchObject(tooDear);
	const own = "update wallets.wallet set capability = $2 where id = $1";
	await db().execute(own, [wallet.id, "embedded/manual"]);
	try {
		expect(await bridge()).toMatchObject(tooDear);
		expect(await bridge({ from: "anvil", to: "robinhood", amount: "1" })).toMatchObject(tooDear);
	} finally {
		await db().execute(own, [wallet.id, "embedded/delegated"]);
	}
	expect(await nonce()).toBe(before);
});

test("a message that was not delivered stays under way until the other chain has it", async () => {
	messenger.carry(false);
	const { id } = await bridge();
	const waiting = await lab.reached(id, ["pending", "success", "failure"]);
	expect(waiting.status).toBe("pending");
	await lab.until(id, ({ providerStatus }) => providerStatus === "pending");
	messenger.carry(true);
	await lab.reached(id, ["success"]);
});

const FIRST = ["bridge.begin:after", "bridge.status:after"];
const ALL = [
	"commit.outcome:before",
	"bridge.quote:after",
	"bridge.store:after",
	"bridge.look:before",
];
test.each(process.env["PROVE"] === "1" ? [...FIRST, ...ALL] : FIRST)(
	"a process that ends at %s sends one message",
	async (edge) => {
		const before = { home: await held("home", wallet.address), carried: messenger.carried.length };
		gone = edge;
		const asked = bridge().catch(() => null);
		await lab.stopped(() => isGone, edge);
		await asked;
		gone = null;
		isGone = false;
		const [newest] = await db().query<{ id: string }>(
			"select id from bridge.bridge order by id desc limit 1",
		);
		await db().execute(
			"update bridge.bridge set look_at = least(look_at, now()) where look_at is not null",
		);
		const done = await lab.reached(newest?.id ?? "", ["success", "failure", "rejected"]);
		expect([edge, done.status, done.errorCode]).toEqual([edge, "success", null]);
		expect(messenger.carried.length - before.carried).toBe(1);
		expect(before.home - (await held("home", wallet.address))).toBe(RAW);
	},
);
