import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Address } from "viem";
import type { Pool } from "#test/sandbox/stocks/describeStockWorld.ts";
import { interfaceIdOf } from "../manifest/checkContracts.ts";
import { type BurnerLab, type Buy, openBurnerLab } from "../testing/openBurnerLab.ts";
import type { Call } from "../testing/openContractLab.ts";
import { type Mode, NATIVE, openRouterLab, type RouterLab } from "../testing/openRouterLab.ts";
import { buybackBurnerAbi } from "./abi.ts";

let at: BurnerLab;
let odds: RouterLab;
/** Its liquidity ends a fifth beyond its price. */
let shallow: Pool;
const gas = new Map<string, bigint>();
const ETHER = 10n ** 18n;

beforeAll(async () => {
	at = await openBurnerLab();
	odds = await openRouterLab(at.lab);
	const pair = [at.token, at.weth] as const;
	shallow = await at.openPool(pair, { fee: 500, depthUsd: 1_000, isShallow: true });
});
afterAll(async () => {
	for (const [what, used] of gas) console.log(`gas ${String(used).padStart(8)}  burner ${what}`);
	await at.lab.anvil.stop();
});

/** What the burner and the swap router have of anything, and may take from each other: nothing. */
async function expectNothingLeft(tokens: readonly Address[], burner = at.burner): Promise<void> {
	const { router } = at.world.addresses;
	for (const token of [NATIVE, ...tokens]) {
		expect(await at.balanceOf(token, burner)).toBe(0n);
		expect(await at.balanceOf(token, router)).toBe(0n);
		if (token === NATIVE) continue;
		const allowance = at.ofToken(token, "allowance", [burner, router]);
		expect(await at.lab.read<bigint>(allowance)).toBe(0n);
	}
}

const refusal = (buy: Buy, by = at.keeper) => at.lab.refusal(by, at.buying(buy));
const setMode = (token: Address, mode: Mode) => odds.setMode(token, mode);

test("the contract has the functions in our ABI: token, keeper, owner and both interfaces", async () => {
	const read = <Result>(name: string, args: readonly unknown[] = []) =>
		at.lab.read<Result>({ to: at.burner, of: "BuybackBurner", name, args });
	expect(await read<Address>("token")).toBe(at.token);
	expect(await read<Address>("keeper")).toBe(at.keeper);
	expect(await read<Address>("owner")).toMatch(/^0x7ea5/i);
	const id = interfaceIdOf(buybackBurnerAbi);
	expect(await read<boolean>("supportsInterface", [id])).toBe(true);
	expect(await read<boolean>("supportsInterface", ["0x01ffc9a7"])).toBe(true);
	expect(await read<boolean>("supportsInterface", ["0xffffffff"])).toBe(false);
	const names = at.lab.abiOf("IBuybackBurner").map((item) => JSON.stringify(item));
	expect(names).toHaveLength(buybackBurnerAbi.length);
});

test("the burner spends exactly the given amount, burns all bought tokens, and the supply falls", async () => {
	const { keeper, token, weth, burner } = at;
	const [coins, wrapped] = [{ spend: 2n * ETHER }, { paidWith: weth, spend: ETHER, fee: 10_000 }];
	await at.world.give(weth, keeper, ETHER);
	await at.approve(weth, burner, ETHER);
	for (const [what, buy] of [
		["buyAndBurn, coins", coins],
		["buyAndBurn, a token", wrapped],
	] as const) {
		const quoted = await at.quote({ paidWith: weth, ...buy });
		const [supply, had] = [await at.supplyOf(token), await at.balanceOf(weth, keeper)];
		const mined = await at.lab.must(keeper, at.buying({ ...buy, minBurned: quoted }));
		gas.set(what, mined.gas);
		expect(await at.supplyOf(token)).toBe(supply - quoted);
		const paidWith = buy === wrapped ? weth : NATIVE;
		const fee = buy === wrapped ? 10_000 : 3_000;
		const pool = at.economy.pools.find((one) => one.fee === fee)?.address;
		const [event, ...more] = at.bought(mined);
		expect(more).toEqual([]);
		expect(event).toMatchObject({ keeper, paidWith, spent: buy.spend, burned: quoted });
		expect(event?.pool.toLowerCase()).toBe(pool?.toLowerCase() ?? "");
		expect(await at.balanceOf(weth, keeper)).toBe(buy === wrapped ? had - ETHER : had);
		await expectNothingLeft([weth, token]);
	}
});

test("extra coins that are sent with the call pay for no more than the purchase", async () => {
	const { keeper } = at;
	const before = await at.balanceOf(NATIVE, keeper);
	const spent = 3n * ETHER;
	const mined = await at.lab.must(keeper, at.buying({ spend: spent }));
	const paid = before - (await at.balanceOf(NATIVE, keeper));
	expect(paid >= spent && paid < spent + mined.gas * 10n ** 11n).toBe(true);
});

test("a purchase below the minimum, at a moved price, or too late is refused; the supply is unchanged", async () => {
	const buy = { spend: ETHER };
	const minBurned = await at.quote(buy);
	const supply = await at.supplyOf(at.token);
	expect(await refusal({ ...buy, minBurned: minBurned + 1n })).toBe("Error");
	expect(await refusal({ ...buy, minBurned })).toBeNull();
	const { timestamp } = await at.lab.anvil.rpc<{ timestamp: string }>("eth_getBlockByNumber", [
		...["latest", false],
	]);
	expect(await refusal({ ...buy, deadline: BigInt(timestamp) - 1n })).toBe("Expired");
	await at.economy.movePrice({ tape: 0.052, eth: 2_500 });
	expect(await refusal({ ...buy, minBurned })).toBe("Error");
	const sent = await at.lab.act(at.keeper, at.buying({ ...buy, minBurned }));
	expect(sent.isDone).toBe(false);
	expect(await at.supplyOf(at.token)).toBe(supply);
	await at.economy.movePrice({ tape: 0.05, eth: 2_500 });
});

test("only the keeper buys, only the owner sets the keeper, and nobody buys without a keeper", async () => {
	const { lab, owner, keeper, weth } = at;
	const burner = await at.openBurner(at.token);
	const buy = at.buying({ spend: ETHER }, burner);
	const setKeeper = (to: Address): Call => {
		return { to: burner, of: "BuybackBurner", name: "setKeeper", args: [to] };
	};
	expect(await lab.refusal(owner, buy)).toBe("NotKeeper");
	expect(await lab.refusal(keeper, setKeeper(owner))).toBe("OwnableUnauthorizedAccount");
	gas.set("setKeeper", (await lab.must(owner, setKeeper(NATIVE))).gas);
	expect(await lab.refusal(keeper, buy)).toBe("NotKeeper");
	await lab.must(owner, setKeeper(owner));
	expect(await lab.refusal(owner, buy)).toBeNull();
	// Coins come from the wrapped ones alone.
	const stray = await lab.send(owner, { to: burner, value: 1n });
	expect(stray.isDone).toBe(false);
	await expectNothingLeft([weth], burner);
});

test("no amount, no minimum, another value, no pool and a missing allowance are refused", async () => {
	const { weth, token } = at;
	const buy = { spend: ETHER };
	expect(await refusal({ spend: 0n })).toBe("NothingToSpend");
	expect(await refusal({ ...buy, minBurned: 0n })).toBe("NoMinimum");
	for (const value of [0n, ETHER - 1n, ETHER + 1n]) {
		expect(await refusal({ ...buy, value })).toBe("ValueDiffers");
	}
	expect(await refusal({ ...buy, paidWith: weth, value: ETHER })).toBe("ValueDiffers");
	expect(await refusal({ ...buy, fee: 100 })).toBe("NoPool");
	expect(await refusal({ ...buy, paidWith: token })).toBe("NoPool");
	// The wrapped coin's own InsufficientAllowance().
	expect(await refusal({ ...buy, paidWith: weth })).toBe("0x13be252b");
});

test("an amount that the pool does not take is refunded to the keeper in its own currency", async () => {
	const { keeper, weth, token, economy } = at;
	const spend = 10n * ETHER;
	await at.world.give(weth, keeper, spend);
	await at.approve(weth, at.burner, spend);
	for (const paidWith of [NATIVE, weth]) {
		await economy.movePrice({ tape: 0.05, eth: 2_500 }, [shallow]);
		const before = await at.balanceOf(paidWith, keeper);
		const inPool = await at.balanceOf(weth, shallow.address);
		const mined = await at.lab.must(keeper, at.buying({ paidWith, spend, fee: 500 }));
		const taken = (await at.balanceOf(weth, shallow.address)) - inPool;
		expect(taken > 0n && taken < spend).toBe(true);
		expect(at.bought(mined)[0]).toMatchObject({ paidWith, spent: taken });
		const paid = before - (await at.balanceOf(paidWith, keeper));
		const most = paidWith === weth ? taken : taken + mined.gas * 10n ** 11n;
		expect(paid >= taken && paid <= most).toBe(true);
		await expectNothingLeft([weth, token]);
	}
	await economy.drain(shallow);
	expect(await refusal({ spend, fee: 500 })).toBe("Error");
	await economy.drain(shallow, 10_000);
});

test("a keeper that calls again during its refund buys once", async () => {
	const { lab, owner, token } = at;
	const caller = await lab.deploy(owner, "Caller");
	const burner = await at.openBurner(token, caller);
	await at.economy.movePrice({ tape: 0.05, eth: 2_500 }, [shallow]);
	const spend = 10n * ETHER;
	const again = lab.encoded(at.buying({ paidWith: at.weth, spend: 1n }, burner)).data;
	const seen = { to: caller, of: "Caller" };
	await lab.must(owner, { ...seen, name: "aim", args: [burner, again] });
	const first = lab.encoded(at.buying({ spend, fee: 500 }, burner)).data;
	const run: Call = { ...seen, name: "run", args: [burner, first], value: spend };
	const supply = await at.supplyOf(token);
	const [event, ...more] = at.bought(await lab.must(owner, run));
	expect(more).toEqual([]);
	expect(await at.supplyOf(token)).toBe(supply - (event?.burned ?? 0n));
	expect(await lab.read<bigint>({ ...seen, name: "calls" })).toBe(1n);
	expect(await lab.read<boolean>({ ...seen, name: "wasLet" })).toBe(false);
	expect(await at.balanceOf(NATIVE, caller)).toBe(spend - (event?.spent ?? 0n));
});

test("a payment token that keeps a part, returns false, or misreports a transfer buys nothing", async () => {
	const { token, burner, keeper } = at;
	const odd = await at.openOdd();
	await at.openPool([odd, token]);
	await at.approve(odd, burner, 10n ** 30n);
	const buy = { paidWith: odd, spend: 100n * ETHER };
	for (const [mode, error] of [
		["fee", "TransferMisreported"],
		["idle", "TransferMisreported"],
		["false", "SafeERC20FailedOperation"],
		["greedy", "Error"],
	] as const) {
		await setMode(odd, mode);
		expect(await refusal(buy)).toBe(error);
	}
	for (const mode of ["silent", "honest"] as const) {
		await setMode(odd, mode);
		const minBurned = await at.quote(buy);
		const mined = await at.lab.must(keeper, at.buying({ ...buy, minBurned }));
		expect(at.bought(mined)[0]).toMatchObject({ spent: buy.spend, burned: minBurned });
		await expectNothingLeft([odd, token]);
	}
});

test("a bought token must arrive above the minimum, and burn exactly what it reports", async () => {
	const { weth, lab, keeper } = at;
	const odd = await at.openOdd();
	await at.openPool([odd, weth]);
	const burner = await at.openBurner(odd);
	const spend = ETHER;
	const minBurned = await at.quote({ spend }, odd);
	const refused = (least: bigint) =>
		lab.refusal(keeper, at.buying({ spend, minBurned: least }, burner));
	await setMode(odd, "fee");
	const arrives = minBurned - minBurned / 30n;
	expect(await refused(arrives + 1n)).toBe("TooLittle");
	expect(await refused(arrives)).toBeNull();
	await setMode(odd, "idle");
	expect(await refused(1n)).toBe("TooLittle");
	for (const mode of ["halfBurning", "overBurning"] as const) {
		await setMode(odd, mode);
		expect(await refused(1n)).toBe("NotBurned");
	}
	await setMode(odd, "honest");
	const supply = await at.supplyOf(odd);
	await lab.must(keeper, at.buying({ spend, minBurned }, burner));
	expect(await at.supplyOf(odd)).toBe(supply - minBurned);
	// A token without burn() is none that this can be done with.
	const unburnable = await at.openBurner(at.world.addresses.usdg);
	expect(await lab.refusal(keeper, at.buying({ spend, fee: 500 }, unburnable))).toBe("");
});

test("tokens that somebody sent to the burner are not counted as bought", async () => {
	const { token, keeper } = at;
	await at.economy.give(at.burner, 5n * ETHER);
	const minBurned = await at.quote({ spend: ETHER });
	const mined = await at.lab.must(keeper, at.buying({ spend: ETHER, minBurned }));
	expect(at.bought(mined)[0]?.burned).toBe(minBurned);
	expect(await at.balanceOf(token, at.burner)).toBe(5n * ETHER);
});

test("the token has a fixed supply, and a holder can burn only its own tokens", async () => {
	const { lab, keeper, token } = at;
	await at.economy.give(keeper, ETHER);
	const supply = await at.supplyOf(token);
	await lab.must(keeper, at.ofToken(token, "burn", [ETHER]));
	expect(await at.supplyOf(token)).toBe(supply - ETHER);
	const more = at.ofToken(token, "burn", [1n]);
	expect(await lab.refusal(keeper, more)).toBe("ERC20InsufficientBalance");
	const functions = lab.abiOf("TapelineToken").filter(({ type }) => type === "function");
	expect(functions.some((item) => "name" in item && /mint|owner/i.test(item.name))).toBe(false);
});
