import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Address, type Hex, parseEventLogs } from "viem";
import { interfaceIdOf } from "../manifest/checkContracts.ts";
import { type ContractLab, openContractLab } from "../testing/openContractLab.ts";
import {
	DEFAULT_SOURCE,
	DEFAULT_SPLIT,
	NATIVE,
	openRouterLab,
	type RouterLab,
	sourceOf,
} from "../testing/openRouterLab.ts";
import { revenueRouterAbi } from "./abi.ts";

let lab: ContractLab;
let own: RouterLab;
const gas = new Map<string, bigint>();
const ETHER = 10n ** 18n;
const SHARES = [350n, 150n, 200n, 300n];
const MANY = 10_000;
const PER_TX = 500;

beforeAll(async () => {
	lab = await openContractLab();
	own = await openRouterLab(lab);
});
afterAll(async () => {
	for (const [what, used] of gas) console.log(`gas ${String(used).padStart(8)}  router ${what}`);
	await lab.anvil.stop();
});

const measured = async (what: string, from: Address, call: Parameters<ContractLab["must"]>[1]) => {
	const mined = await lab.must(from, call);
	gas.set(what, mined.gas);
	return mined;
};

test("the default split is 35, 15, 20 and 30 %, and the router returns its owner, payees and interfaces", async () => {
	const read = <Result>(name: string, args: readonly unknown[]) =>
		lab.read<Result>(own.ofRouter(name, args));
	expect(await read<number[]>("splitOf", [sourceOf("anything")])).toEqual([...DEFAULT_SPLIT]);
	expect(await read<Address>("owner", [])).toBe(own.owner);
	for (const [bucket, payee] of own.payees.entries()) {
		expect(await read<Address>("payeeOf", [bucket])).toBe(payee);
	}
	const id = interfaceIdOf(revenueRouterAbi);
	expect(await read<boolean>("supportsInterface", [id])).toBe(true);
	expect(await read<boolean>("supportsInterface", ["0x01ffc9a7"])).toBe(true);
	expect(await read<boolean>("supportsInterface", ["0xffffffff"])).toBe(false);
});

test("the router has exactly the functions in our ABI", () => {
	const signatures = (abi: readonly { type: string }[]) =>
		abi.filter(({ type }) => type === "function" || type === "event");
	const compiled = JSON.stringify(signatures(lab.abiOf("IRevenueRouter")).map(plain).sort());
	expect(JSON.stringify(signatures(revenueRouterAbi).map(plain).sort())).toBe(compiled);
});

test("a deposit of coins or of tokens earns each bucket its share, which is paid once", async () => {
	const [token = NATIVE] = own.tokens;
	const first = await measured("deposit, first", own.payer, own.deposit("shop", ETHER));
	const events = parseEventLogs({ abi: revenueRouterAbi, logs: first.logs as never });
	expect(events.map(({ args }) => args)).toEqual([
		{ source: sourceOf("shop"), currency: NATIVE, from: own.payer, amount: ETHER },
	]);
	await measured("deposit", own.payer, own.deposit("shop", ETHER));
	await measured("depositToken, first", own.payer, own.depositToken("shop", token, 1_000n));
	await measured("depositToken", own.payer, own.depositToken("shop", token, 1_000n));
	for (const [currency, unit] of [
		[NATIVE, (2n * ETHER) / 1_000n],
		[token, 2n],
	] as const) {
		for (const [bucket, payee] of own.payees.entries()) {
			const due = (SHARES[bucket] ?? 0n) * unit;
			const before = await own.balanceOf(currency, payee);
			const what = currency === NATIVE ? "release" : "release of a token";
			await measured(what, own.payer, own.release(bucket, currency));
			expect((await own.balanceOf(currency, payee)) - before).toBe(due);
			expect(await lab.read<bigint>(own.release(bucket, currency))).toBe(0n);
		}
		expect(await own.balanceOf(currency, own.router)).toBe(0n);
	}
});

test("[TOK-03] ten thousand deposits of one unit pay what one deposit of ten thousand pays", async () => {
	const one = await openRouterLab(lab);
	const many = await openRouterLab(lab);
	const [coin = NATIVE] = many.tokens;
	const [same = NATIVE] = one.tokens;
	await lab.must(own.payer, one.deposit("dust", BigInt(MANY)));
	await lab.must(own.payer, one.depositToken("dust", same, BigInt(MANY)));
	await lab.must(own.payer, many.ofToken(coin, "mint", [many.hands, BigInt(MANY)]));
	const source = sourceOf("dust");
	const times = BigInt(PER_TX);
	const hands = { to: many.hands, of: "Hands" };
	for (let done = 0; done < MANY; done += PER_TX) {
		const args = [many.router, source, times];
		await lab.must(own.payer, { ...hands, name: "depositMany", args, value: times });
		const tokenArgs = [many.router, source, coin, times];
		await lab.must(own.payer, { ...hands, name: "depositTokenMany", args: tokenArgs });
		const [ofCoins, ofTokens] = await many.books([NATIVE, coin]);
		for (const { earned = [], held = -1n } of [ofCoins ?? {}, ofTokens ?? {}]) {
			expect(held).toBe(BigInt(done + PER_TX));
			expect(earned.reduce((all, share) => all + share)).toBe(held);
		}
	}
	const expected = [3_500n, 1_500n, 2_000n, 3_000n];
	for (const [bucket, due] of expected.entries()) {
		for (const [at, currency] of [
			[one, NATIVE],
			[one, same],
			[many, NATIVE],
			[many, coin],
		] as const) {
			const payee = at.payees[bucket] ?? NATIVE;
			const before = await at.balanceOf(currency, payee);
			await lab.must(own.payer, at.release(bucket, currency));
			expect((await at.balanceOf(currency, payee)) - before).toBe(due);
		}
	}
});

test("a hundred deposits of one unit under a hundred labels pay what one label pays, also where each has its own split", async () => {
	const at = await openRouterLab(lab);
	const [coin = NATIVE] = at.tokens;
	const labels = Array.from({ length: 100 }, (_, index) => `label ${index}`);
	for (const label of labels) await lab.must(own.payer, at.deposit(label, 1n));
	for (const label of labels) {
		await lab.must(own.owner, at.setSplit(label, [...DEFAULT_SPLIT]));
		await lab.must(own.payer, at.depositToken(label, coin, 1n));
	}
	for (const { earned, held } of await at.books([NATIVE, coin])) {
		expect(held).toBe(100n);
		expect(earned).toEqual([35n, 15n, 20n, 30n]);
	}
});

test("a split that does not add up, or whose payee is the router or nobody, is refused", async () => {
	for (const bps of [
		[3_500, 1_500, 2_000, 2_999],
		[3_500, 1_500, 2_000, 3_001],
		[0, 0, 0, 0],
		// It adds up in sixteen bits only.
		[65_535, 1, 10_000, 0],
	]) {
		expect(await lab.refusal(own.owner, own.setSplit("shop", bps))).toBe("SplitSum");
	}
	const payee = (to: Address) => own.ofRouter("setPayee", [2, to]);
	expect(await lab.refusal(own.owner, payee(own.router))).toBe("PayeeIsRouter");
	expect(await lab.refusal(own.owner, payee(NATIVE))).toBe("PayeeIsNobody");
	expect(await lab.refusal(own.owner, own.ofRouter("setPayee", [4, own.payer]))).toBe("Panic");
	const fromOther = await lab.refusal(own.payer, own.setSplit("", [...DEFAULT_SPLIT]));
	expect(fromOther).toBe("OwnableUnauthorizedAccount");
	expect(await lab.refusal(own.payer, payee(own.payer))).toBe("OwnableUnauthorizedAccount");
});

test("a new split applies to later deposits, and earlier shares do not change", async () => {
	const at = await openRouterLab(lab);
	await lab.must(own.payer, at.deposit("shop", 10_000n));
	await lab.must(own.payer, at.deposit("club", 10_000n));
	const set = await measured("setSplit", own.owner, at.setSplit("shop", [0, 0, 10_000, 0]));
	const [event] = parseEventLogs({ abi: revenueRouterAbi, logs: set.logs as never });
	expect(event).toMatchObject({ eventName: "SplitSet", args: { burnBps: 10_000 } });
	await lab.must(own.payer, at.deposit("shop", 7n));
	await lab.must(own.payer, at.deposit("club", 10_000n));
	const [books] = await at.books([NATIVE]);
	expect(books?.earned).toEqual([10_500n, 4_500n, 6_007n, 9_000n]);
	await lab.must(own.owner, at.setSplit("", [10_000, 0, 0, 0]));
	await lab.must(own.payer, { ...at.deposit("club", 3n) });
	await lab.must(own.payer, at.deposit("shop", 1n));
	const [after] = await at.books([NATIVE]);
	expect(after?.earned).toEqual([10_503n, 4_500n, 6_008n, 9_000n]);
});

test("coins sent without data, and tokens transferred without a deposit, count for the default source", async () => {
	const at = await openRouterLab(lab);
	const [token = NATIVE] = at.tokens;
	const sent = await lab.send(own.payer, { to: at.router, value: 10_000n });
	expect(sent.isDone).toBe(true);
	const [event] = parseEventLogs({ abi: revenueRouterAbi, logs: sent.logs as never });
	expect(event?.args).toMatchObject({ source: DEFAULT_SOURCE, amount: 10_000n });
	await lab.must(own.payer, at.depositToken("shop", token, 10_000n));
	await lab.must(own.payer, at.ofToken(token, "transfer", [at.router, 20_000n]));
	await measured("countTransferred", own.payer, at.ofRouter("countTransferred", [token]));
	for (const { earned } of await at.books([NATIVE, token])) {
		expect(earned.reduce((all, one) => all + one)).toBeOneOf([10_000n, 30_000n]);
	}
	for (const currency of [NATIVE, token]) {
		const again = await lab.refusal(own.payer, at.ofRouter("countTransferred", [currency]));
		expect(again).toBe("NothingReceived");
	}
	expect(await lab.refusal(own.payer, at.deposit("shop", 0n))).toBe("NothingReceived");
});

test("a deposit counts the amount that arrived, whatever the token reports", async () => {
	const at = await openRouterLab(lab);
	const [token = NATIVE] = at.tokens;
	const deposit = at.depositToken("shop", token, 30_000n);
	await at.setMode(token, "fee");
	await lab.must(own.payer, deposit);
	expect((await at.books([token]))[0]?.held).toBe(29_000n);
	expect((await at.books([token]))[0]?.earned).toEqual([10_150n, 4_350n, 5_800n, 8_700n]);
	await at.setMode(token, "idle");
	expect(await lab.refusal(own.payer, deposit)).toBe("NothingReceived");
	await at.setMode(token, "false");
	expect(await lab.refusal(own.payer, deposit)).toBe("SafeERC20FailedOperation");
	await at.setMode(token, "silent");
	await lab.must(own.payer, deposit);
	const [books] = await at.books([token]);
	expect(books?.held).toBe(59_000n);
	for (const nobody of [NATIVE, own.payer]) {
		expect(await lab.refusal(own.payer, at.depositToken("shop", nobody, 1n))).toBe("");
	}
});

test("a release that does not transfer exactly the earned amount reverts, and the amount stays earned", async () => {
	const at = await openRouterLab(lab);
	const [token = NATIVE] = at.tokens;
	await lab.must(own.payer, at.depositToken("shop", token, 10_000n));
	for (const [mode, error] of [
		["idle", "TransferMisreported"],
		["greedy", "TransferMisreported"],
		["false", "SafeERC20FailedOperation"],
	] as const) {
		await at.setMode(token, mode);
		expect(await lab.refusal(own.payer, at.release(0, token))).toBe(error);
	}
	await at.setMode(token, "fee");
	const before = await at.balanceOf(token, at.payees[0] ?? NATIVE);
	await lab.must(own.payer, at.release(0, token));
	// The fee is the payee's; no other bucket pays it.
	expect((await at.balanceOf(token, at.payees[0] ?? NATIVE)) - before).toBe(3_500n - 116n);
	expect((await at.books([token]))[0]).toMatchObject({ held: 6_500n });
});

test("a payee that calls again is not paid twice, and one that reverts blocks only itself", async () => {
	const at = await openRouterLab(lab);
	const [token = NATIVE] = at.tokens;
	const caller = await lab.deploy(own.payer, "Caller");
	const aim = async (of: "Caller" | "OddToken", to: Address, data: Hex) =>
		await lab.must(own.payer, { to, of, name: "aim", args: [at.router, data] });
	const encode = (call: Parameters<ContractLab["must"]>[1]): Hex => lab.encoded(call).data ?? "0x";
	await measured("setPayee", own.owner, at.ofRouter("setPayee", [0, caller]));
	await lab.must(own.payer, at.deposit("shop", 10_000n));
	await lab.must(own.payer, at.depositToken("shop", token, 10_000n));

	await aim("Caller", caller, encode(at.release(0, NATIVE)));
	await lab.must(own.payer, at.release(0, NATIVE));
	const seen = { to: caller, of: "Caller" };
	expect(await lab.read<bigint>({ ...seen, name: "calls" })).toBe(1n);
	expect(await lab.read<boolean>({ ...seen, name: "wasLet" })).toBe(false);
	expect(await at.balanceOf(NATIVE, caller)).toBe(3_500n);

	await at.setMode(token, "reentrant");
	for (const inner of [
		at.release(1, token),
		at.depositToken("shop", token, 5n),
		at.ofRouter("countTransferred", [token]),
	]) {
		await aim("OddToken", token, encode(inner));
		await lab.must(own.payer, at.depositToken("shop", token, 100n));
		await lab.must(own.payer, at.release(2, token));
		expect(await lab.read<bigint>(at.ofToken(token, "calls", []))).toBe(2n);
		expect(await lab.read<boolean>(at.ofToken(token, "wasLet", []))).toBe(false);
	}
	const [books] = await at.books([token]);
	expect(books?.earned.reduce((all, one) => all + one)).toBe(10_300n);
	expect(books?.owed.reduce((all, one) => all + one)).toBe(books?.held ?? -1n);

	await lab.must(own.payer, { ...seen, name: "refuse", args: [true] });
	await lab.must(own.payer, at.deposit("shop", 10_000n));
	expect(await lab.refusal(own.payer, at.release(0, NATIVE))).toBe("Refused");
	await lab.must(own.payer, at.release(1, NATIVE));
	await lab.must(own.owner, at.ofRouter("setPayee", [0, own.payees[0]]));
	expect(await lab.read<bigint>(at.release(0, NATIVE))).toBe(3_500n);
});

type Named = { type: string; name?: string; inputs?: readonly { type: string }[] };

function plain(item: unknown): string {
	const { type, name = "", inputs = [], outputs = [] } = item as Named & { outputs?: Named[] };
	const indexed = inputs.map((one) => `${one.type}${"indexed" in one && one.indexed ? "*" : ""}`);
	return `${type} ${name}(${indexed})(${outputs.map((one) => one.type)})`;
}
