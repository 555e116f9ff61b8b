import { expect, test } from "bun:test";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import {
	NO_SOURCE,
	OWNER,
	ROUTER,
	SUPPLY,
	TOKEN,
} from "#plugins/tokenomics/testing/fakeTokenChain.ts";
import { walletOf } from "#plugins/tokenomics/testing/openTokenLab.ts";
import {
	AFTER_FINAL,
	LAUNCHED,
	type TokenLab,
	useTokenLab,
	WEI,
} from "#plugins/tokenomics/testing/useTokenLab.ts";
import type { SettledTrade } from "#plugins/trading/contract.ts";

const ADA = "aaaaaaaa-0000-7000-8000-000000000001";
const BOB = "bbbbbbbb-0000-7000-8000-000000000001";
const { signal } = new AbortController();

const at = useTokenLab();
const { open } = at;

async function said(lab: TokenLab, name: string, profileId: string | null): Promise<string> {
	const tool = lab.parts.tools?.find((one) => one.name === name);
	const authority = profileId === null ? "none" : "author";
	const caller = { channel: "agent", profileId, authority } as const;
	const answer = await tool?.run({}, { caller, idempotencyKey: null, signal });
	if (!tool || answer?.kind !== "done") throw new Error("it answers");
	return tool.line(tool.output.parse(answer.output));
}

const trade = (id: number, profileId: string, usd: number, more: Partial<SettledTrade> = {}) => ({
	...{ id: String(id).padStart(6, "0"), profileId, walletId: null, intentId: `sound ${id}` },
	createdAt: new Date(Date.UTC(2026, 10, 3, id)),
	...{ side: "buy" as const, asset: TOKEN, usdMicros: BigInt(usd) * 1_000_000n },
	...more,
});

test("a holder's pending reward is the unpaid holders' share times the holder's part of the supply", async () => {
	const lab = await open(LAUNCHED);
	at.chain.mine([
		{ kind: "transfer", from: OWNER, to: walletOf(ADA), amount: SUPPLY / 10n },
		{ kind: "deposit", source: NO_SOURCE, currency: ZERO_ADDRESS, amount: 2n * WEI },
	]);
	at.chain.mine([{ kind: "release", bucket: 0, currency: ZERO_ADDRESS }]);
	at.chain.mine([{ kind: "deposit", source: NO_SOURCE, currency: ZERO_ADDRESS, amount: 4n * WEI }]);
	at.chain.mineEmpty(AFTER_FINAL);
	await lab.run("tokenomics.ledger");
	const { status, body } = await lab.ask("/v1/token/rewards", { profile: ADA });
	expect([status, body.status]).toEqual([200, "live"]);
	// A tenth of 35 % of what came in after the payment.
	const due = { value: "0.14", raw: String((14n * WEI) / 100n), unit: "ETH", source: "ledger" };
	expect(body.pending).toMatchObject([due]);
	expect(body.accounts).toMatchObject([{ address: walletOf(ADA), pending: [due] }]);
	expect(body.accounts[0].balance.raw).toBe(String(SUPPLY / 10n));
	const other = await lab.ask(
		`/v1/token/holders/${walletOf(ADA).toUpperCase().replace("X", "x")}/rewards`,
	);
	expect(other.body.accounts).toEqual(body.accounts);
	const none = await lab.ask("/v1/token/rewards", { profile: BOB });
	expect(none.body).toMatchObject({ pending: [], accounts: [{ pending: [] }] });
	expect(await said(lab, "read_rewards", ADA)).toBe("Pending by what you hold: 0.14 ETH.");
	expect(await said(lab, "read_rewards", BOB)).toBe("Your wallets have no rewards pending.");
	expect((await lab.ask("/v1/token/rewards")).status).toBe(401);
	expect((await lab.ask("/v1/token/holders/nobody/rewards")).status).toBe(422);
});

test("the pending amounts of all holders never exceed the unpaid share, to the unit", async () => {
	const lab = await open(LAUNCHED);
	const people = Array.from({ length: 7 }, (_, at) => walletOf(`${at}${ADA.slice(1)}`));
	at.chain.mine([
		...people.map((to) => {
			return { kind: "transfer", from: OWNER, to, amount: SUPPLY / 14n } as const;
		}),
		{ kind: "deposit", source: NO_SOURCE, currency: ZERO_ADDRESS, amount: 101n },
	]);
	at.chain.mineEmpty(AFTER_FINAL);
	await lab.run("tokenomics.ledger");
	let sum = 0n;
	for (const address of people) {
		const { body } = await lab.ask(`/v1/token/holders/${address}/rewards`);
		sum += BigInt(body.pending[0].raw);
	}
	expect(sum > 0n && sum <= 35n).toBe(true);
});

test("before launch, and while figures are rebuilt, no amount is returned", async () => {
	const before = await open({});
	const asked = await before.ask("/v1/token/rewards", { profile: ADA });
	expect(asked.body).toMatchObject({ status: "token not launched", accounts: [], pending: [] });
	expect(await said(before, "read_rewards", ADA)).toContain("not launched");
	expect(await said(before, "read_league", null)).toContain("not launched");

	const lab = await open(LAUNCHED);
	at.chain.mine([
		{ kind: "transfer", from: OWNER, to: walletOf(ADA), amount: SUPPLY / 10n },
		{ kind: "deposit", source: NO_SOURCE, currency: ZERO_ADDRESS, amount: 2n * WEI },
	]);
	at.chain.mineEmpty(AFTER_FINAL + 60);
	await lab.run("tokenomics.ledger");
	at.chain.reorg(AFTER_FINAL + 61);
	await lab.run("tokenomics.ledger");
	lab.clock.ms += 2_000;
	const { body } = await lab.ask("/v1/token/rewards", { profile: ADA });
	expect(body.status).toBe("being rebuilt");
	expect(body.accounts[0].balance.value).toBeNull();
	expect(body.pending.every(({ value }: any) => value === null)).toBe(true);
	expect(await said(lab, "read_rewards", ADA)).toContain("being rebuilt");
});

test("a trader gets the rank in the league, both volumes, and the pending amount", async () => {
	const lab = await open(LAUNCHED, [
		trade(1, ADA, 30),
		trade(2, BOB, 70),
		// Turned back the next day: a seventh of both sides counts.
		trade(10, ADA, 140, { asset: ROUTER }),
		trade(34, ADA, 140, { asset: ROUTER, side: "sell" }),
	]);
	at.chain.mine([
		{ kind: "deposit", source: NO_SOURCE, currency: ZERO_ADDRESS, amount: 100n * WEI },
	]);
	at.chain.mineEmpty(AFTER_FINAL);
	lab.clock.ms = Date.UTC(2026, 10, 6);
	await lab.run("tokenomics.ledger");
	await lab.run("tokenomics.league");
	const { body } = await lab.ask("/v1/token/league/place", { profile: ADA });
	expect(body).toMatchObject({
		...{ status: "live", season: "2026-11", place: 2, trades: 3 },
		volume: { value: "70", unit: "USD" },
		traded: { value: "310", unit: "USD" },
		// Half of the league's 15 %.
		pending: [{ value: "7.5", unit: "ETH" }],
	});
	expect(body.rule).toContain("back-and-forth for seven days");
	expect((await lab.ask("/v1/token/league/place", { profile: BOB })).body.place).toBe(1);
	const nobody = await lab.ask("/v1/token/league/place", { profile: `c${ADA.slice(1)}` });
	expect(nobody.body).toMatchObject({ place: null, volume: null, traded: null, pending: [] });
	expect((await lab.ask("/v1/token/league/place")).status).toBe(401);
	expect(await said(lab, "read_league", ADA)).toBe(
		"League 2026-11: 1. 0xbbbb…eeee 70 USD, 2. 0xaaaa…eeee 70 USD. You: place 2, 70 USD of 310 USD traded.",
	);
	expect(await said(lab, "read_league", null)).not.toContain("You");
});
