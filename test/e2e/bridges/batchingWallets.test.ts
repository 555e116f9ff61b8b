import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { encodeFunctionData, erc20Abi, type Hex, toHex } from "viem";
import { depositoryAbi } from "#plugins/bridge/quote/authorizations.ts";
import { type BridgeLab, openBridgeLab, TETHER, USDG } from "#test/harness/openBridgeLab.ts";
import { dollarAbi } from "#test/sandbox/bridge/BridgeWorld.ts";

// Guarantee: a wallet that sends its deposit inside another call (EIP-7702), or has others send it
// (ERC-4337), is followed to its end by the depository's own log; what the log does not show as
// exactly this deposit is nobody's.

const PATH = "/v1/bridges/intents";
const AS = "fay";
const COMMAND = "bridge 0.1 eth from anvil to robinhood as USDG";
/** Calls what the first twenty bytes name, with the rest and all of the value. */
const FORWARDER: Hex = "0x60143603806014600037600060009160003460003560601c5af1602157600080fd5b00";
const FORWARDER_AT: Hex = `0x${"f0".repeat(20)}`;
/** Calls what the first twenty bytes name twice, with 68 bytes each time, and half of the value. */
const half = (at: string) => `604460${at}60003760006000604460006002340460003560601c5af115603f57`;
const TWICE: Hex = `0x${half("14")}${half("58")}005b60006000fd`;
const TWICE_AT: Hex = `0x${"f1".repeat(20)}`;

let lab: BridgeLab;
let wallet: { id: string; address: Hex; capability: string };

beforeAll(async () => {
	lab = await openBridgeLab();
	wallet = (await lab.enrol(AS)) as typeof wallet;
	for (const { rpc } of [lab.market, lab.home]) {
		await rpc("anvil_setCode", [FORWARDER_AT, FORWARDER]);
		await rpc("anvil_setCode", [TWICE_AT, TWICE]);
	}
});
afterAll(() => lab?.stop());
beforeEach(() => lab.bridge.clearFaults());

const ask = (path: string, body?: object) => lab.ask(path, body, { as: AS });
const begin = async (body: object = { command: COMMAND }) => (await ask(PATH, body)).body;
const tell = (id: string, transactionHash: string) =>
	ask(`${PATH}/${id}/step-results`, { transactionHash });
const show = async (id: string) => (await ask(`${PATH}/${id}`)).body;

type Call = { to: string; valueRaw: string; data: string };
type Way = { from: string; through: string; on?: "market" | "home" };

/** Sends a transaction that makes a call by a contract; returns the transaction's hash. */
async function within(call: Call, { from, through, on = "market" }: Way): Promise<Hex> {
	const { rpc, mined } = lab[on];
	const { to, valueRaw, data } = call;
	const inner = `${to}${data.slice(2)}`;
	const sent = { from, to: through, data: inner, value: toHex(BigInt(valueRaw)) };
	const hash = await rpc<Hex>("eth_sendTransaction", [{ ...sent, gas: toHex(600_000) }]);
	await mined();
	return hash;
}

/** Has the wallet's account act as the contract that batches (EIP-7702). */
async function delegate(on: "market" | "home" = "market"): Promise<void> {
	const code = `0xef0100${FORWARDER_AT.slice(2)}`;
	await lab[on].rpc("anvil_setCode", [wallet.address, code]);
}

/** Makes two deposits in one transaction; returns its hash. */
async function both(one: Call, other: Call): Promise<Hex> {
	const valueRaw = String(BigInt(one.valueRaw) + BigInt(other.valueRaw));
	const data = `${one.data}${other.data.slice(2)}`;
	return await within({ ...one, valueRaw, data }, { from: await bundler(), through: TWICE_AT });
}
/** The bridges of a deposit's transaction: which are its own, and which are made once more. */
async function followed(hash: Hex): Promise<{ id: string; depositOf: string | null }[]> {
	const { body } = await ask(PATH);
	return body.data.filter(({ depositHash }: any) => depositHash === hash);
}

/** Another account, which sends for wallets. */
async function bundler(): Promise<Hex> {
	const address: Hex = `0x${"b7".repeat(20)}`;
	await lab.market.rpc("anvil_setBalance", [address, toHex(10n ** 19n)]);
	await lab.market.rpc("anvil_impersonateAccount", [address]);
	return address;
}

test("a deposit inside a call of the account to itself counts, and its question is over", async () => {
	const asked = await begin();
	expect(asked.status).toBe("signature_required");
	await delegate();
	const own = { from: wallet.address, through: wallet.address };
	const hash = await within(asked.steps[0], own);
	const told = await tell(asked.id, hash);
	expect(told).toMatchObject({ status: 200, body: { depositHash: hash, signUrl: null } });
	// The page of before can be signed no more.
	const link = `/v1/links/${asked.signUrl.split("/").at(-1)}`;
	expect((await lab.ask(link, undefined, { as: null })).status).toBe(404);
	expect((await tell(asked.id, hash)).status).toBe(200);
	const done = await lab.reached(asked.id, ["success"], AS);
	expect(done).toMatchObject({ depositHash: hash, errorCode: null, arrived: { verified: true } });
	const { body } = await ask(`${PATH}/${asked.id}/moves`);
	expect(JSON.stringify(body)).toContain('"event":"deposit"');
});

test("a deposit that a bundler sent is found by the provider and by the chain, untold", async () => {
	const asked = await begin();
	const hash = await within(asked.steps[0], { from: await bundler(), through: FORWARDER_AT });
	await lab.bridge.idle();
	const due = "update bridge.bridge set look_at = now(), hinted_at = null where id = $1";
	await lab.service.core.db.execute(due, [asked.id]);
	const done = await lab.reached(asked.id, ["success"], AS);
	expect(done.depositHash).toBe(hash);
});

test("a call with another amount, of another order, or in no block yet is no deposit", async () => {
	const asked = await begin();
	const other = await begin();
	const [step] = asked.steps;
	const way = { from: await bundler(), through: FORWARDER_AT };
	const less = { ...step, valueRaw: String(BigInt(step.valueRaw) - 1n) };
	const foreign = { status: 409, body: { code: "step_result_foreign" } };
	expect(await tell(asked.id, await within(less, way))).toMatchObject(foreign);
	expect(await tell(asked.id, await within(other.steps[0], way))).toMatchObject(foreign);
	await lab.market.rpc("evm_setAutomine", [false]);
	const { from, through: to } = way;
	const data = `${step.to}${step.data.slice(2)}`;
	const sent = { from, to, data, value: toHex(BigInt(step.valueRaw)), gas: toHex(600_000) };
	const late = await lab.market.rpc<Hex>("eth_sendTransaction", [sent]);
	try {
		expect(await tell(asked.id, late)).toMatchObject({
			...{ status: 409, body: { code: "step_result_unseen" } },
		});
		expect(await show(asked.id)).toMatchObject({ status: "signature_required", depositHash: null });
	} finally {
		await lab.market.rpc("evm_setAutomine", [true]);
		await lab.market.rpc("evm_mine", []);
	}
	expect(await tell(asked.id, late)).toMatchObject({ status: 200, body: { depositHash: late } });
});

test("a deposit of another token for the order, in the same amount, is none", async () => {
	const mint = { abi: dollarAbi, functionName: "mint" } as const;
	const data = encodeFunctionData({ ...mint, args: [wallet.address, 100_000_000n] });
	const asSelf = { from: wallet.address, through: wallet.address, on: "home" } as const;
	await delegate("home");
	for (const to of [USDG, TETHER]) await within({ to, valueRaw: "0", data }, asSelf);
	const back = { amount: "50", currency: "USDG", from: "robinhood", to: "anvil", as: "ETH" };
	const asked = await begin(back);
	const deposit = asked.steps.at(-1);
	const approve = (to: Hex) => {
		const args = [deposit.to, 50_000_000n] as const;
		const call = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
		return within({ to, valueRaw: "0", data: call }, asSelf);
	};
	await approve(TETHER);
	const id: Hex = `0x${deposit.data.slice(-64)}`;
	const odd = encodeFunctionData({
		...{ abi: depositoryAbi, functionName: "depositErc20" as const },
		args: [wallet.address, TETHER, 50_000_000n, id],
	});
	const hash = await within({ to: deposit.to, valueRaw: "0", data: odd }, asSelf);
	expect(await tell(asked.id, hash)).toMatchObject({
		...{ status: 409, body: { code: "step_result_foreign" } },
	});
	// The allowance and the deposit of the order itself, as a batch has them, count.
	await approve(USDG);
	const right = await within(deposit, asSelf);
	expect(await tell(asked.id, right)).toMatchObject({
		...{ status: 200, body: { status: "pending", depositHash: right } },
	});
});

test("a deposit made once more inside another call is a bridge of its own", async () => {
	// So that what comes back in coin can be paid to the account.
	await lab.market.rpc("anvil_setCode", [wallet.address, "0x"]);
	const asked = await begin();
	const way = { from: await bundler(), through: FORWARDER_AT };
	const first = await within(asked.steps[0], way);
	expect((await tell(asked.id, first)).status).toBe(200);
	const second = await within(asked.steps[0], way);
	expect((await tell(asked.id, second)).status).toBe(200);
	const { body } = await ask(PATH);
	const more = body.data.find(({ depositHash }: any) => depositHash === second);
	expect(more).toMatchObject({ depositOf: asked.id });
	// The provider's word is about either of them.
	await lab.reached(asked.id, ["success", "refund"], AS);
});

test("a batch that pays for two bridges at once is each one's deposit", async () => {
	const [one, other] = [await begin(), await begin()];
	const hash = await both(one.steps[0], other.steps[0]);
	for (const { id } of [other, one]) {
		expect(await tell(id, hash)).toMatchObject({ status: 200, body: { depositHash: hash } });
	}
	expect((await followed(hash)).map(({ id }) => id).sort()).toEqual([one.id, other.id].sort());
	for (const { id } of [one, other]) {
		const done = await lab.reached(id, ["success"], AS);
		expect(done).toMatchObject({ depositHash: hash, arrived: { verified: true } });
	}
});

test("a batch that pays for one order twice is a deposit and a bridge of its own", async () => {
	const asked = await begin();
	const hash = await both(asked.steps[0], asked.steps[0]);
	for (let turn = 0; turn < 2; turn++) expect((await tell(asked.id, hash)).status).toBe(200);
	const [more, own] = await followed(hash);
	expect(own).toMatchObject({ id: asked.id, depositOf: null });
	expect(more).toMatchObject({ depositOf: asked.id });
	expect(await followed(hash)).toHaveLength(2);
	await lab.reached(asked.id, ["success", "refund"], AS);
});

test("a batch that pays for a bridge once more and for another one is followed for both", async () => {
	const [one, other] = [await begin(), await begin()];
	const first = await within(one.steps[0], { from: await bundler(), through: FORWARDER_AT });
	expect((await tell(one.id, first)).status).toBe(200);
	const hash = await both(one.steps[0], other.steps[0]);
	expect(await tell(other.id, hash)).toMatchObject({ status: 200, body: { depositHash: hash } });
	expect((await tell(one.id, hash)).status).toBe(200);
	const of = (await followed(hash)).map(({ id, depositOf }) => [id === other.id, depositOf]);
	expect(of).toContainEqual([true, null]);
	expect(of).toContainEqual([false, one.id]);
	expect(of).toHaveLength(2);
	const logs = await lab.service.core.db.query<{ log: number }>(
		"select deposit_log as log from bridge.bridge where deposit_hash = $1 order by 1",
		[Buffer.from(hash.slice(2), "hex")],
	);
	expect(logs.map(({ log }) => log)).toEqual([0, 1]);
});
