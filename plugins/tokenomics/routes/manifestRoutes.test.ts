import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import {
	BURNER,
	createFakeTokenChain,
	type FakeTokenChain,
	OWNER,
	ROUTER,
	TOKEN,
} from "#plugins/tokenomics/testing/fakeTokenChain.ts";
import { openTokenLab } from "#plugins/tokenomics/testing/openTokenLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const PATH = "/v1/admin/contracts/manifest";
const SECOND: Address = `0x${"7f".repeat(20)}`;
const NAMED = {
	TOKEN_ADDRESS: `0x${"D0".repeat(20)}`,
	REVENUE_ROUTER_ADDRESS: `0x${"d1".repeat(20)}`,
	BUYBACK_BURN_ADDRESS: `0x${"d2".repeat(20)}`,
	TOKEN_FROM_BLOCK: "12",
};
const body = {
	...{ chainId: 4_663, version: 0, token: TOKEN, owner: OWNER },
	...{ revenueRouter: ROUTER, buybackBurner: BURNER },
};

let database: TestDatabase;
let chain: FakeTokenChain;
let lab: Awaited<ReturnType<typeof openTokenLab>>;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	chain = createFakeTokenChain();
	lab = await openTokenLab({ db: database.db, rpc: chain.rpc, env: NAMED });
	await lab.clear();
});

const operator = "ann";
const put = (changes: object = {}) => lab.ask(PATH, { operator, body: { ...body, ...changes } });

test("[TOK-06] the contracts come from configuration, and from the manifest once one is set", async () => {
	const named = await lab.ask(PATH, { operator });
	expect(named.body).toEqual({
		...{ chainId: 4_663, version: 0, source: "configuration", token: `0x${"d0".repeat(20)}` },
		...{ revenueRouter: NAMED.REVENUE_ROUTER_ADDRESS, owner: null, fromBlock: 12 },
		...{ buybackBurner: NAMED.BUYBACK_BURN_ADDRESS, setBy: null, setAt: null },
	});
	expect((await put()).status).toBe(200);
	const { body: set } = await lab.ask(PATH, { operator });
	expect(set).toMatchObject({ version: 1, source: "manifest", token: TOKEN, fromBlock: 0 });
	// As a whole: what a manifest leaves out is not there, whatever the variables name.
	await put({ version: 1, buybackBurner: null });
	const { body: without } = await lab.ask(PATH, { operator });
	expect(without).toMatchObject({ version: 2, revenueRouter: ROUTER, buybackBurner: null });
});

test("[TOK-06] one contract in two variables is refused at boot, with a reason", async () => {
	const env = { ...NAMED, BUYBACK_BURN_ADDRESS: NAMED.REVENUE_ROUTER_ADDRESS };
	await expect(openTokenLab({ db: database.db, rpc: chain.rpc, env })).rejects.toThrow(
		"REVENUE_ROUTER_ADDRESS and BUYBACK_BURN_ADDRESS are both",
	);
});

describe("[TOK-02] the manifest of each chain", () => {
	test("the manifest is for operators only, and each change is in the audit log", async () => {
		expect((await lab.ask(PATH)).status).toBe(401);
		expect((await lab.ask(PATH, { body: {} })).status).toBe(401);
		const {
			status,
			body: set,
			headers,
		} = await put({ token: TOKEN.toUpperCase().replace("X", "x") });
		expect(status).toBe(200);
		expect(headers.get("cache-control")).toBe("no-store");
		expect(set).toMatchObject({ version: 1, setBy: "operator:ann", owner: OWNER });
		const entry = (await lab.audited()).at(-1);
		expect(entry).toMatchObject({
			...{ actor: "operator:ann", action: "token.manifest.set", subject: "chain:4663" },
			detail: { before: null, after: { version: 1, token: TOKEN, router: ROUTER, burner: BURNER } },
		});
	});

	test("the manifest is empty if none was set and nothing is configured", async () => {
		const bare = await openTokenLab({ db: database.db, rpc: chain.rpc });
		const { body: none } = await bare.ask(PATH, { operator });
		expect(none).toMatchObject({ version: 0, source: "none", token: null });
		const other = await lab.ask(`${PATH}?chainId=8453`, { operator });
		expect(other.body).toMatchObject({ chainId: 8_453, source: "none", token: null });
	});

	test("a change of an old version of the manifest is refused, also of two simultaneous changes one", async () => {
		const answers = await Promise.all([put(), put(), put()]);
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
		const { status, body: refused } = await put();
		expect([status, refused.code]).toEqual([409, "manifest_version"]);
		expect((await put({ version: 1 })).body.version).toBe(2);
	});

	const refused: [what: string, change: () => object, status: number, code: string][] = [
		["a token without code", () => ({ token: SECOND }), 409, "contract_without_code"],
		["a router without code", () => ({ revenueRouter: SECOND }), 409, "contract_without_code"],
		["a burner without code", () => ({ buybackBurner: SECOND }), 409, "contract_without_code"],
		[
			"a router that is named as the token",
			() => ({ token: ROUTER, revenueRouter: null, buybackBurner: null }),
			...([409, "contract_interface"] as const),
		],
		[
			"a burner as router",
			() => ({ revenueRouter: BURNER, buybackBurner: null }),
			409,
			"contract_interface",
		],
		[
			"a router as burner",
			() => ({ revenueRouter: null, buybackBurner: ROUTER }),
			409,
			"contract_interface",
		],
		...(["router", "burner"] as const).map((role): [string, () => object, number, string] => [
			`what answers each view of a ${role} and is none`,
			() => {
				const own = chain.contracts.get(role === "router" ? ROUTER : BURNER);
				const isNone = (name: string, [id]: readonly unknown[]) =>
					name === "supportsInterface" && id !== "0x01ffc9a7";
				if (!own) throw new Error("it is there");
				chain.contracts.set(SECOND, {
					...own,
					view: (name, args, at) => (isNone(name, args) ? false : own.view(name, args, at)),
				});
				return role === "router" ? { revenueRouter: SECOND } : { buybackBurner: SECOND };
			},
			...([409, "contract_interface"] as const),
		]),
		["another owner", () => ({ owner: SECOND }), 409, "contract_owner"],
		[
			"a burner of another token",
			() => {
				const token = chain.contracts.get(TOKEN);
				if (token) chain.contracts.set(SECOND, token);
				return { token: SECOND };
			},
			...([409, "burner_token"] as const),
		],
		["one contract named twice", () => ({ buybackBurner: ROUTER }), 422, "validation_error"],
		["a chain that is not reached", () => ({ chainId: 8_453 }), 422, "chain_not_reached"],
		["what is no address", () => ({ token: "0x12" }), 422, "validation_error"],
		["a member that nobody knows", () => ({ tokens: TOKEN }), 422, "validation_error"],
	];
	for (const [what, change, status, code] of refused) {
		test(`a manifest with ${what} is refused, and nothing is stored`, async () => {
			const before = (await lab.audited()).length;
			const answer = await put(change());
			expect([answer.status, answer.body.code]).toEqual([status, code]);
			expect((await lab.ask(PATH, { operator })).body.source).toBe("configuration");
			expect(await lab.audited()).toHaveLength(before);
			const { body: metrics } = await lab.metrics.expose();
			const isCounted = what !== "what is no address" && what !== "a member that nobody knows";
			if (isCounted) expect(metrics).toContain(`token_manifest_refusals_total{code="${code}"} 1`);
		});
	}

	test("a manifest is not stored while no node answers", async () => {
		chain.tamper.of = () => {
			throw new Error("the node is away");
		};
		expect((await put()).status).toBeGreaterThanOrEqual(500);
		expect((await lab.ask(PATH, { operator })).body.source).toBe("configuration");
	});
});
