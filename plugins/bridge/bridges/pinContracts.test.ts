import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import { silentLog } from "#core/log.ts";
import type { ChainReader } from "#plugins/bridge/bridgeConfig.ts";
import {
	contractsDenial,
	knownPins,
	pinnedDenial,
	solverDenial,
	withPinned,
} from "#plugins/bridge/bridges/pinContracts.ts";
import type { RelayChain } from "#plugins/bridge/relay/Relay.ts";
import { readPins, replacePin } from "#plugins/bridge/sql/pins.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: money goes only to contracts of the provider's that are as they were first seen, or as
// an operator said; no code, another code, another address and an unread chain are refused.

const DEPOSITORY: Hex = `0x${"de".repeat(20)}`;
const OTHER: Hex = `0x${"0e".repeat(20)}`;
const PROXY: Hex = `0x${"a9".repeat(20)}`;
const SOLVER: Hex = `0x${"50".repeat(20)}`;
const THIEF: Hex = `0x${"bb".repeat(20)}`;
const INNER: Hex = `0x${"11".repeat(20)}`;
const SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const BEACON = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";
const { signal } = new AbortController();

let database: TestDatabase;
let codes: Record<string, string>;
let slots: Record<string, string>;
let isDown: boolean;
let alarms: string[];
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate bridge.pin");
	codes = { [DEPOSITORY]: "0x6001", [PROXY]: "0x6002", [OTHER]: "0x6001" };
	[slots, isDown, alarms] = [{}, false, []];
});

const word = (address: string) => `0x${address.slice(2).padStart(64, "0")}`;
const read: ChainReader = async (method, [first, second]) => {
	if (isDown) throw new Error("down");
	if (method === "eth_getCode") return codes[String(first)] ?? "0x";
	if (method === "eth_getStorageAt") return word(slots[`${first} ${second}`] ?? "0x00");
	// A beacon says what it names.
	return word(INNER);
};
const context = () => ({
	core: { db: database.db, clock: { nowMs: () => 0 }, log: silentLog } as never,
	readers: { own: () => read, of: () => read },
	alarm: (reason: string) => void alarms.push(reason),
});
const chain = (more: Partial<RelayChain> = {}): RelayChain => ({
	...{ id: 1, name: "one", displayName: "one", httpRpcUrl: null, isEvm: true },
	...{ isDisabled: false, isLagging: false, currency: { symbol: "ETH", decimals: 18 } },
	...{ solverCurrencies: [], solverAddresses: [SOLVER] },
	protocol: { name: "one", depository: DEPOSITORY },
	permits: { spender: PROXY, tokens: [] },
	...more,
});
/** What is said of a chain as it is published now, by a quote that asks for a signature or not. */
async function codeOf(origin = chain(), usePermit = false): Promise<string | null> {
	const pins = await knownPins(context(), [origin]);
	const denial = await contractsDenial(context(), pins, { origin, usePermit, signal });
	return denial?.code ?? null;
}

test("a contract that is seen first is pinned with its code, and accepted while the code is the same", async () => {
	expect([await codeOf(), await codeOf(), await codeOf(chain(), true)]).toEqual([null, null, null]);
	const pins = await readPins(database.db, [1]);
	expect(pins.map(({ role, codeHash }) => [role, codeHash !== null])).toEqual([
		["depository", true],
		["proxy", true],
		["solver", false],
	]);
	expect(alarms).toEqual([]);
});

test("a depository without code is refused from the first time on", async () => {
	codes = {};
	expect(await codeOf()).toBe("contract_changed");
	expect(alarms).toEqual(["contract_changed"]);
});

test("another contract address is refused although it has the same code", async () => {
	await codeOf();
	const other = chain({ protocol: { name: "one", depository: OTHER } });
	expect(await codeOf(other)).toBe("contract_changed");
	expect(await codeOf(chain({ permits: { spender: OTHER, tokens: [] } }), true)).toBe(
		"contract_changed",
	);
});

test("a contract with another code is refused, also directly before the deposit is planned", async () => {
	await codeOf();
	codes[DEPOSITORY] = "0x6003";
	expect(await codeOf()).toBe("contract_changed");
	const asked = { chainId: 1, role: "depository", address: DEPOSITORY, signal } as const;
	expect(await pinnedDenial(context(), asked)).toMatchObject({ code: "contract_changed" });
});

describe("a pinned contract that is a proxy", () => {
	test.each([
		["that names its implementation", () => ({ [`${DEPOSITORY} ${SLOT}`]: INNER })],
		["behind a beacon", () => ({ [`${DEPOSITORY} ${BEACON}`]: OTHER })],
		["of the minimal kind", () => ({})],
	])("%s another implementation is refused", async (what, named) => {
		slots = named();
		if (what.includes("minimal")) {
			codes[DEPOSITORY] = `0x363d3d373d3d3d363d73${INNER.slice(2)}5af43d82803e903d91602b57fd5bf3`;
		}
		codes[INNER] = "0x6004";
		expect(await codeOf()).toBeNull();
		codes[INNER] = "0x6005";
		expect(await codeOf()).toBe("contract_changed");
		codes[INNER] = "0x";
		expect(await codeOf()).toBe("contract_changed");
	});
});

test("a contract that cannot be read is refused without an alarm", async () => {
	isDown = true;
	expect(await codeOf()).toBe("chain_unavailable");
	expect(alarms).toEqual([]);
});

test("a solver that was added later is refused, and an unlisted one is left to the quote's check", async () => {
	await codeOf();
	const chains = [chain({ solverAddresses: [SOLVER, THIEF] })];
	const pins = await knownPins(context(), chains);
	expect(solverDenial(context(), pins, { chains, solver: SOLVER })).toBeNull();
	expect(solverDenial(context(), pins, { chains, solver: OTHER })).toBeNull();
	expect(solverDenial(context(), pins, { chains, solver: THIEF })).toMatchObject({
		code: "contract_changed",
	});
});

test("an operator's pin replaces a contract, and is added to the solvers", async () => {
	await codeOf();
	const by = { by: "olga", at: new Date(0) };
	await database.db.transaction(async (tx) => {
		const pin = { chainId: 1, codeHash: null } as const;
		await replacePin(tx, { ...pin, role: "depository", address: OTHER }, by);
		await replacePin(tx, { ...pin, role: "solver", address: THIEF }, by);
	});
	expect(await codeOf(chain({ protocol: { name: "one", depository: OTHER } }))).toBeNull();
	expect(await codeOf()).toBe("contract_changed");
	const pins = await readPins(database.db, [1]);
	expect(pins.filter(({ role }) => role === "solver")).toHaveLength(2);
});

describe("the contracts that an order may name as its filler", () => {
	const named = async (more: Partial<RelayChain>) => {
		const one = chain(more);
		const pins = await knownPins(context(), [one]);
		return withPinned({ origin: one }, pins).origin.contracts;
	};

	test("an order may name a contract that was pinned first, and none that was published later", async () => {
		expect(await named({ contracts: [OTHER] })).toEqual([OTHER, DEPOSITORY]);
		expect(await named({ contracts: [OTHER, THIEF] })).toEqual([OTHER, DEPOSITORY]);
		expect(await named({ protocol: { name: "one", depository: THIEF } })).toEqual([]);
	});

	test("an order may name a contract that an operator pinned, in addition to the others", async () => {
		await named({ contracts: [OTHER] });
		await database.db.transaction(async (tx) => {
			const pin = { chainId: 1, codeHash: null, role: "filler", address: THIEF } as const;
			await replacePin(tx, pin, { by: "olga", at: new Date(0) });
		});
		expect(await named({ contracts: [OTHER, THIEF] })).toEqual([OTHER, THIEF, DEPOSITORY]);
	});
});
