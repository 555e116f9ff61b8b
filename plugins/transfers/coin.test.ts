import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type Address, encodeFunctionData, erc20Abi } from "viem";
import { silentLog } from "#core/log/silentLog.ts";
import { sendTransfers } from "#plugins/transfers/sendTransfers.ts";
import { TRANSFER, transferKind } from "#plugins/transfers/transferKind.ts";
import { createdTransfersSchema } from "#plugins/transfers/transferSchema.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { type Buyer, type BuyLab, CHAIN_ID, ETHER, openBuyLab } from "#test/harness/openBuyLab.ts";
import { deploySeaport, type SeaportChain } from "#test/harness/seaport.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: each recipient gets exactly the amount of a token, or nothing is sent; a transfer from
// which the token deducts a fee does not count as successful.

const ANNA = `0x${"a1".repeat(20)}` as const;
const BERT = `0x${"b2".repeat(20)}` as const;

let database: TestDatabase;
let anvil: Anvil;
let seaport: SeaportChain;
let lab: BuyLab;
let by: Buyer;
let coin: Address;
beforeAll(async () => {
	[database, anvil] = await Promise.all([createTestDatabase(), startAnvil()]);
	seaport = await deploySeaport(anvil);
	coin = seaport.tokens.coin;
});
afterAll(async () => {
	await anvil?.stop();
	await database?.drop();
});
beforeEach(async () => {
	lab = openBuyLab({ db: database.db, anvil, seaport });
	const chainOf = (id: number) => (id === CHAIN_ID ? (lab.chains.byId(id) ?? null) : null);
	lab.execution.register(transferKind({ clock: lab.clock, chainOf }));
	lab.prices.set({ chainId: CHAIN_ID, currency: coin, usd: 2 });
	by = await lab.buyer();
});

async function send(body: { amount: string; currency: string; recipients?: string[] }) {
	const { wallets, chains, deps } = lab;
	const served = { ...chains, isServed: (id: number) => id === CHAIN_ID };
	const ending = new AbortController().signal;
	const newId = () => Bun.randomUUIDv7();
	const context = { wallets, log: silentLog, chains: served, rpcOf: deps.rpcOf, newId, ending };
	const response = await sendTransfers(context, {
		...{ principal: { profile: by.profile, sessionId: null }, idempotencyKey: null },
		...{ route: "test", channel: "api", asks: false },
		body: { fromWalletId: by.wallet.id, recipients: [ANNA], chain: "anvil", ...body },
	});
	return createdTransfersSchema.parse(await response.json()).transfers;
}

async function balanceOf(account: Address): Promise<bigint> {
	const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [account] });
	return BigInt(await anvil.rpc<string>("eth_call", [{ to: coin, data }, "latest"]));
}

test("each recipient gets exactly the amount, and it is spent to the base unit", async () => {
	const before = await balanceOf(by.wallet.address);
	const recipients = [ANNA, BERT];
	const made = await send({ amount: "1.000000000000000001", currency: coin, recipients });
	expect(made).toMatchObject([
		{ status: "submitted", currency: coin, amount: "1.000000000000000001" },
		{ status: "submitted", recipient: BERT, amountRaw: String(ETHER + 1n) },
	]);
	await lab.tick();
	await lab.tick();
	const page = await lab.execution.list(by.profile.id, { kinds: [TRANSFER], limit: 10 });
	expect(page.items.map(({ status }) => status)).toEqual(["confirmed", "confirmed"]);
	expect(await balanceOf(ANNA)).toBe(ETHER + 1n);
	expect(before - (await balanceOf(by.wallet.address))).toBe(2n * (ETHER + 1n));
	expect(lab.sent).toMatchObject([{ to: coin, valueRaw: 0n }, { to: coin }]);
	const [first] = page.items;
	if (!first) throw new Error("no transfer");
	expect(await lab.ledger(first)).toEqual({ reserve: 2_000_001, spend: 2_000_001 });
});

test("a batch that exceeds the balance is refused completely", async () => {
	const whole = await balanceOf(by.wallet.address);
	const most = String(whole / ETHER - 1n);
	const made = await send({ amount: most, currency: coin, recipients: [ANNA, BERT] });
	expect(made.map(({ status, errorCode }) => [status, errorCode])).toEqual([
		["rejected", expect.stringMatching(/balance_insufficient|limit/)],
		["rejected", expect.stringMatching(/balance_insufficient|limit/)],
	]);
	expect(lab.sent).toEqual([]);
});

test("a contract that is no token, a token without a price, and a symbol are refused", async () => {
	await expect(send({ amount: "1", currency: "USDG" })).rejects.toMatchObject({
		code: "validation_error",
	});
	await expect(send({ amount: "1", currency: ANNA })).rejects.toMatchObject({
		code: "currency_unreadable",
	});
	const recipients = [coin];
	await expect(send({ amount: "1", currency: coin, recipients })).rejects.toMatchObject({
		code: "validation_error",
	});
	expect(await send({ amount: "1", currency: seaport.tokens.otherCoin })).toMatchObject([
		{ status: "rejected", errorCode: "usd_rate_unavailable" },
	]);
});

test("a token with a transfer fee is noticed by its own logs, and the money counts as spent", async () => {
	const { settle } = transferKind({ clock: lab.clock, chainOf: () => null });
	const word = (value: string) => `0x${value.slice(2).padStart(64, "0")}` as const;
	const topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef" as const;
	const token = { address: coin, symbol: coin, decimals: 18 };
	const request = { recipient: ANNA, amountRaw: "100", coin: token, togetherRaw: "100" };
	const arrives = async (logged: bigint | null, from: Address = by.wallet.address) => {
		const data = word(`0x${(logged ?? 0n).toString(16)}`);
		const log = { address: coin, topics: [topic, word(from), word(ANNA)], data };
		const receipt = {
			...{ transactionHash: word("0x1"), blockNumber: 1, blockHash: word("0x2") },
			...{ succeeded: true, logs: logged === null ? [] : [log] },
		};
		const signal = new AbortController().signal;
		const outbound = async <Result>(_: string, call: () => Promise<Result>) => call();
		const context = { wallet: by.wallet, outbound, signal };
		const settled = await settle({ request } as never, receipt, context);
		return settled && "code" in settled ? settled.code : settled;
	};
	expect(await arrives(100n)).toBeNull();
	expect(await arrives(99n)).toBe("partly_received");
	expect(await arrives(null)).toBe("not_received");
	expect(await arrives(100n, BERT)).toBe("not_received");
});
