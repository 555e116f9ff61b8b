import { describe, expect, test } from "bun:test";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { NOT_LAUNCHED } from "#plugins/tokenomics/economics/economicsSchema.ts";
import {
	BURNER,
	KEEPER,
	NO_SOURCE,
	OWNER,
	ROUTER,
	SUPPLY,
	TOKEN,
	USDG,
} from "#plugins/tokenomics/testing/fakeTokenChain.ts";
import {
	AFTER_FINAL,
	LAUNCHED,
	type TokenLab,
	useTokenLab,
	WEI,
} from "#plugins/tokenomics/testing/useTokenLab.ts";
import type { SettledTrade } from "#plugins/trading/contract.ts";

const PATH = "/v1/token/economics";
const KEYS = ["split", "buyback", "holders", "league", "servedAt"];
const caller = { channel: "agent", profileId: null, authority: "none" } as const;
const { signal } = new AbortController();

const at = useTokenLab();
const { open } = at;

/** What the agent's tool says. */
async function said(lab: TokenLab) {
	const tool = lab.parts.tools?.find(({ name }) => name === "read_token_economics");
	const context = { caller, idempotencyKey: null, signal };
	const answer = await tool?.run(tool.input.parse({}), context);
	if (!tool || answer?.kind !== "done") throw new Error("it answers");
	const output = tool.output.parse(answer.output);
	return { tool, line: tool.line(output), asOfMs: tool.asOfMs(output) };
}

describe("[TOK-05] before launch", () => {
	test("each part of the treasury reports that the token is not launched, and nothing else", async () => {
		const lab = await open({});
		const { status, body } = await lab.ask(PATH);
		expect(status).toBe(200);
		expect(Object.keys(body)).toEqual(KEYS);
		for (const part of ["split", "buyback", "holders", "league"]) {
			expect(body[part].status).toBe("token not launched");
		}
		expect(body.buyback).toMatchObject({ burned: null, burns: null, spent: [], last: null });
		expect(body.split.shares.map(({ percent }: any) => percent.value)).toEqual([
			...["35", "15", "20", "30"],
		]);
		expect(at.chain.asked).toEqual([]);
	});

	test("the agent says that buybacks start after launch", async () => {
		const { line, tool, asOfMs } = await said(await open({}));
		expect(line).toBe(
			"The token is not launched: buybacks start after launch. Revenue split: 35% holders, " +
				"15% league, 20% burn, 30% treasury.",
		);
		expect(line.length).toBeLessThanOrEqual(160);
		expect([tool.capability, asOfMs]).toEqual(["token_economics", null]);
	});
});

describe("[TOK-01] the economics", () => {
	test("the economics have exactly the documented keys, and each figure its unit, source and age", async () => {
		const lab = await open(LAUNCHED);
		at.chain.mine([
			{ kind: "deposit", source: NO_SOURCE, currency: ZERO_ADDRESS, amount: 2n * WEI },
			{ kind: "transfer", from: OWNER, to: KEEPER, amount: 5n },
		]);
		at.chain.mine([{ kind: "release", bucket: 2, currency: ZERO_ADDRESS }]);
		at.chain.mine([{ kind: "burn", paidWith: ZERO_ADDRESS, spent: WEI / 10n, burned: 7n * WEI }]);
		at.chain.mineEmpty(AFTER_FINAL);
		await lab.run("tokenomics.ledger");
		await lab.run("tokenomics.league");
		lab.clock.ms += 42_000;
		const { body, status } = await lab.ask(PATH);
		expect([status, Object.keys(body)]).toEqual([200, KEYS]);
		const about = { source: "ledger", asOf: expect.any(String), ageSeconds: 42 };
		const eth = (value: string) => ({ value, unit: "ETH", ...about, raw: expect.any(String) });
		expect(body.split).toMatchObject({
			status: "live",
			shares: [
				{ bucket: "holders", percent: { value: "35", unit: "%", source: "ledger" } },
				{},
				{},
				{},
			],
			revenue: [
				{
					...{ currency: ZERO_ADDRESS, received: eth("2") },
					buckets: [
						{ bucket: "holders", earned: eth("0.7"), paid: eth("0") },
						{ bucket: "league", earned: eth("0.3"), paid: eth("0") },
						{ bucket: "burn", earned: eth("0.4"), paid: eth("0.4") },
						{ bucket: "treasury", earned: eth("0.6"), paid: eth("0") },
					],
				},
			],
		});
		const tape = (value: string) => ({ ...eth(value), unit: "TAPE" });
		expect(body.buyback).toMatchObject({
			...{ status: "live", burned: tape("7"), burns: { value: "1", unit: "burns", ...about } },
			spent: [eth("0.1")],
			last: { burned: { value: "7" }, spent: { value: "0.1" } },
		});
		expect(body.holders).toMatchObject({
			count: { value: "3", unit: "accounts", ...about },
			supply: { raw: String(SUPPLY - 7n * WEI) },
			burned: tape("7"),
			earned: [eth("0.7")],
		});
		expect(body.league).toMatchObject({ status: "live", season: "2026-11", standings: [] });
		for (const figure of figuresIn(body)) {
			expect(Object.keys(figure).sort()).toEqual([
				...["ageSeconds", "asOf", "raw", "source", "unit", "value"],
			]);
		}
		const { line, asOfMs } = await said(lab);
		expect(line).toStartWith("7 TAPE burned in buybacks, 3 holders.");
		expect(asOfMs).toBe(lab.clock.ms - 42_000);
	});

	test("the economics are unknown, and not zero, until all final events were read", async () => {
		const lab = await open(LAUNCHED);
		const { body } = await lab.ask(PATH);
		const unknown = { value: null, raw: null, asOf: null, ageSeconds: null };
		expect(body.split.status).toBe("live");
		for (const { percent } of body.split.shares) expect(percent).toMatchObject(unknown);
		expect(body.buyback).toMatchObject({ burned: unknown, burns: unknown, spent: [], last: null });
		expect(body.holders).toMatchObject({ count: unknown, supply: unknown, burned: unknown });
		const { line, asOfMs } = await said(lab);
		expect(line).toBe("What was burned is not known yet: the chain's events are still being read.");
		expect(asOfMs).toBeNull();
	});

	test("the economics are unknown and marked as being rebuilt after a rollback of blocks that were read", async () => {
		const lab = await open({ ...LAUNCHED, ADMIN_API_KEY: "an-operators-key" });
		at.chain.mine([{ kind: "burn", paidWith: ZERO_ADDRESS, spent: 1n, burned: 7n * WEI }]);
		at.chain.mineEmpty(AFTER_FINAL + 60);
		await lab.run("tokenomics.ledger");
		await lab.recordRun();
		const before = (await lab.ask(PATH)).body.buyback;
		expect(before).toMatchObject({
			...{ status: "live", worker: { run: { status: "confirmed", errorCode: null } } },
		});
		at.chain.reorg(AFTER_FINAL + 61);
		lab.clock.ms += 15_000;
		await lab.run("tokenomics.ledger").catch(() => null);
		const { body } = await lab.ask(PATH);
		for (const part of ["split", "buyback", "holders", "league"]) {
			expect(body[part].status).toBe("being rebuilt");
		}
		expect([body.buyback.burned.value, body.holders.count.value]).toEqual([null, null]);
		// Its purchase may have been in the blocks that are gone.
		expect(body.buyback.worker.run).toMatchObject({
			...{ status: "uncertain", errorCode: "dropped_by_reorg" },
		});
		expect((await said(lab)).line).toContain("figures are being rebuilt");
		at.chain.mineEmpty(2 * AFTER_FINAL);
		// The last agreement is gone as well, which the look after it finds.
		await lab.run("tokenomics.ledger");
		await lab.run("tokenomics.ledger");
		lab.clock.ms += 2_000;
		const after = (await lab.ask(PATH)).body.buyback;
		expect([after.status, after.burned.value]).toEqual(["live", "0"]);
	});

	test("the economics show a tiny burn as less than the smallest displayed amount", async () => {
		const lab = await open(LAUNCHED);
		at.chain.mine([{ kind: "burn", paidWith: ZERO_ADDRESS, spent: 5n, burned: 7n }]);
		at.chain.mineEmpty(AFTER_FINAL);
		await lab.run("tokenomics.ledger");
		expect((await said(lab)).line).toStartWith("less than 0.0001 TAPE burned in buybacks");
	});

	test("the economics list the coin and buyback currencies before other tokens", async () => {
		const lab = await open({ ...LAUNCHED, BUYBACK_CURRENCIES: USDG });
		const junk = Array.from({ length: 25 }, (_, at): Address => {
			return `0x${(at + 1).toString(16).padStart(40, "0")}`;
		});
		const paid = [...junk, USDG, ZERO_ADDRESS];
		for (const currency of paid) {
			at.chain.mine([{ kind: "deposit", source: NO_SOURCE, currency, amount: 10_000n }]);
		}
		at.chain.mineEmpty(AFTER_FINAL);
		await lab.run("tokenomics.ledger");
		const { body } = await lab.ask(PATH);
		const shown = body.split.revenue.map(({ currency }: any) => currency);
		expect(shown).toEqual([ZERO_ADDRESS, USDG, ...junk.slice(0, 18)]);
		expect(body.split.revenue[0].received.unit).toBe("ETH");
		const { totals } = (await lab.ask("/v1/admin/treasury", { operator: "ann" })).body;
		const burns = totals.filter(({ entryType, bucket }: any) => {
			return entryType === "share_earned" && bucket === "burn";
		});
		expect(burns.slice(0, 2)).toMatchObject([
			{ currency: ZERO_ADDRESS, amountRaw: "2000" },
			{ currency: USDG, amountRaw: "2000" },
		]);
	});

	test("the economics do not show a replaced burner's burn as the newest one", async () => {
		const lab = await open(LAUNCHED);
		at.chain.mine([{ kind: "burn", paidWith: ZERO_ADDRESS, spent: 5n, burned: 7n }]);
		at.chain.mineEmpty(AFTER_FINAL);
		await lab.run("tokenomics.ledger");
		expect((await lab.ask(PATH)).body.buyback.last.burned.raw).toBe("7");
		const fresh: Address = `0x${"73".repeat(20)}`;
		const burner = at.chain.contracts.get(BURNER);
		if (burner) at.chain.contracts.set(fresh, burner);
		const body = { chainId: 4_663, version: 0, token: TOKEN, owner: OWNER, buybackBurner: fresh };
		const set = await lab.ask("/v1/admin/contracts/manifest", { operator: "ann", body });
		expect(set.status).toBe(200);
		await lab.run("tokenomics.ledger");
		lab.clock.ms += 1_000;
		expect((await lab.ask(PATH)).body.buyback).toMatchObject({ burned: { raw: "0" }, last: null });
	});

	test("the economics change at most a second after the manifest", async () => {
		const lab = await open({});
		expect((await lab.ask(PATH)).body.buyback.status).toBe(NOT_LAUNCHED);
		const body = { chainId: 4_663, version: 0, token: TOKEN, owner: OWNER };
		await lab.ask("/v1/admin/contracts/manifest", { operator: "ann", body });
		lab.clock.ms += 1_000;
		const { body: live } = await lab.ask(PATH);
		expect([live.split.status, live.split.revenue]).toEqual(["live", []]);
	});

	test("the economics rank traders by the counted volume, under their shortened wallets", async () => {
		const at = (id: number, profileId: string, usd: number, more: Partial<SettledTrade> = {}) => ({
			...{ id: `0${id}`, profileId, walletId: null, intentId: `intent ${id}` },
			createdAt: new Date(Date.UTC(2026, 10, 3, id)),
			...{ side: "buy" as const, asset: TOKEN, usdMicros: BigInt(usd) * 1_000_000n },
			...more,
		});
		const [ada, bob] = [
			"aaaaaaaa-0000-7000-8000-000000000001",
			"bbbbbbbb-0000-7000-8000-000000000001",
		];
		const cy = "cccccccc-0000-7000-8000-000000000001";
		const lab = await open(LAUNCHED, [
			...[at(1, ada, 50), at(2, bob, 70), at(3, ada, 30), at(4, bob, 0)],
			at(5, bob, 500, { intentId: "failed" }),
			// Turned back the next day: a seventh of both sides counts.
			at(10, cy, 70, { asset: ROUTER }),
			at(34, cy, 70, { asset: ROUTER, side: "sell" }),
		]);
		lab.clock.ms = Date.UTC(2026, 10, 5);
		await lab.run("tokenomics.league");
		const { league } = (await lab.ask(PATH)).body;
		expect(league.standings).toMatchObject([
			{ rank: 1, trader: "0xaaaa…eeee", trades: 2, volume: { value: "80", unit: "USD" } },
			{ rank: 2, trader: "0xbbbb…eeee", trades: 1, volume: { value: "70", source: "trades" } },
			{ rank: 3, volume: { value: "20" }, traded: { value: "140", unit: "USD" }, trades: 2 },
		]);
		expect(league).toMatchObject({ traders: { value: "3" }, volume: { value: "170" } });
		expect(league).toMatchObject({ traded: { value: "290" }, leftOut: { value: "120" } });
		expect(league.rule).toContain("back-and-forth for seven days");
		expect(league.endsAt).toBe("2026-12-01T00:00:00.000Z");
	});
});

describe("/v1/admin/treasury", () => {
	const operator = "ann";
	const evil: Hex = `0x${Buffer.from('=HYPERLINK("x"),1').toString("hex").padEnd(64, "0")}`;

	async function openFilled() {
		const lab = await open(LAUNCHED);
		for (let count = 0; count < 5; count += 1) {
			at.chain.mine([
				{ kind: "deposit", source: evil, currency: ZERO_ADDRESS, amount: WEI },
				{ kind: "burn", paidWith: ZERO_ADDRESS, spent: 5n, burned: 3n },
			]);
		}
		at.chain.mineEmpty(AFTER_FINAL);
		await lab.run("tokenomics.ledger");
		return lab;
	}

	test("the treasury's entries, also as a file, are for operators only", async () => {
		const lab = await open(LAUNCHED);
		for (const path of ["", "/export", "?limit=0", "/export?cursor=x"]) {
			expect((await lab.ask(`/v1/admin/treasury${path}`)).status).toBe(401);
		}
	});

	test("the route lists entries page by page, by type, with the sums of all", async () => {
		const lab = await openFilled();
		const ask = (query: string) => lab.ask(`/v1/admin/treasury?${query}`, { operator });
		const { body } = await ask("entryType=buyback_burned&limit=3");
		expect(body.data).toHaveLength(3);
		expect(body.data[0]).toMatchObject({
			...{ entryType: "buyback_burned", amountRaw: "5", burnedRaw: "3", symbol: "ETH" },
			...{ blockNumber: "5", party: KEEPER, chainId: 4_663, at: expect.stringContaining("2026-") },
		});
		expect(body.totals).toContainEqual({
			...{ currency: ZERO_ADDRESS, symbol: "ETH", entryType: "buyback_burned", bucket: null },
			...{ entries: 5, amount: "0.000000000000000025", amountRaw: "25", burnedRaw: "15" },
		});
		const next = await ask(`entryType=buyback_burned&limit=3&cursor=${body.page.nextCursor}`);
		expect(next.body.data.map(({ blockNumber }: any) => blockNumber)).toEqual(["2", "1"]);
		expect(next.body.page).toEqual({ nextCursor: null, hasMore: false });
		const other = await ask(`entryType=share_paid&cursor=${body.page.nextCursor}`);
		expect(other.status).toBe(422);
		const all = (await ask("")).body.data;
		expect(all).toHaveLength(15);
		expect((await ask("entryType=nonsense")).status).toBe(422);
	});

	test("the exported file has no cell that is a formula", async () => {
		const lab = await openFilled();
		const { text, headers } = await lab.ask("/v1/admin/treasury/export", { operator });
		expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
		const [names, ...lines] = text.trimEnd().split("\r\n");
		expect(names).toStartWith("chainId,transactionHash,logIndex,blockNumber,at,contract,entryType");
		expect(lines).toHaveLength(15);
		expect(text).toContain(`"'=HYPERLINK(""x""),1"`);
		expect(text).not.toMatch(/(^|,|")[=+\-@\t]/m);
	});
});

function* figuresIn(value: unknown): Generator<Record<string, unknown>> {
	if (Array.isArray(value)) for (const one of value) yield* figuresIn(one);
	else if (typeof value === "object" && value !== null) {
		if ("ageSeconds" in value) yield value as Record<string, unknown>;
		else for (const one of Object.values(value)) yield* figuresIn(one);
	}
}
