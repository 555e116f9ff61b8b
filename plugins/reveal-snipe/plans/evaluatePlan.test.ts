import { beforeEach, describe, expect, test } from "bun:test";
import { numberToHex } from "viem";
import { checkPlans } from "#plugins/reveal-snipe/plans/checkPlans.ts";
import type { Candidate } from "#plugins/reveal-snipe/plans/chooseListings.ts";
import { makeFill } from "#plugins/reveal-snipe/plans/evaluatePlan.ts";
import { endPlansDue, makePlansDue, takeEvaluation } from "#plugins/reveal-snipe/sql/plans.ts";
import { type Buyer, ETHER } from "#test/harness/openBuyLab.ts";
import { type PlansLab, usePlans } from "#test/harness/plans.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: a plan buys what its owner wrote, and nothing beyond its ceiling, budget and count, on
// a real node with the real marketplace.

const TENTH = ETHER / 10n;

const open = usePlans();
let plans: PlansLab;
let by: Buyer;
beforeEach(async () => {
	({ plans, by } = await open());
});

const latest = async () =>
	numberToHex(Number(await plans.lab.anvil.rpc<string>("eth_blockNumber")));
const ownerOf = async (tokenId: string) =>
	plans.lab.seaport.ownerOf(BigInt(tokenId), await latest());
const tokensOf = (plan: any) => plan.fills.map(({ tokenId }: any) => tokenId);
const intentOf = async (fill: any) => {
	const intent = await plans.lab.execution.read(fill.intentId, by.profile.id);
	if (!intent) throw new Error("no such intent");
	return intent;
};

describe("buys of one pass", () => {
	test("[RVL-07] buys of one pass are made in parallel, each with its nonce, within count and budget", async () => {
		const listed = [];
		for (const ether of [1n, 2n, 3n, 4n, 4n, 4n]) {
			listed.push(await plans.sell({ ether: ether * TENTH, rank: 5 }));
		}
		const plan = await plans.armed(by, { budgetNative: 1.4, maxItems: 6 });
		const { listingFulfilment } = plans.lab.fake.answers;
		let underWay = 0;
		let most = 0;
		const four = Promise.withResolvers<void>();
		plans.lab.fake.answers.listingFulfilment = async (...asked) => {
			most = Math.max(most, ++underWay);
			if (underWay === 4) four.resolve();
			await four.promise;
			underWay--;
			return listingFulfilment(...asked);
		};
		await plans.covered();
		expect(most).toBe(4);
		const read = await plan.read();
		// 0.1 + 0.2 + 0.3 + 0.4 + 0.4: another 0.4 would be more than the budget.
		expect([read.filledCount, read.spentNative]).toEqual([5, 1.4]);
		const nonces = plans.lab.sent.map(({ nonce }) => nonce).sort((a, b) => a - b);
		expect(nonces.map((nonce) => nonce - (nonces[0] ?? 0))).toEqual([0, 1, 2, 3, 4]);
		expect(new Set(tokensOf(read)).size).toBe(5);
	});

	test("a buy that fails leaves its part of the budget to the next listing of the same pass", async () => {
		const gone = await plans.sell({ ether: TENTH, rank: 5 });
		plans.withdraw(gone.listed);
		const second = await plans.sell({ ether: 2n * TENTH, rank: 6 });
		const plan = await plans.armed(by, { maxItems: 1 });
		await plans.covered();
		expect(await plan.read()).toMatchObject({
			filledCount: 1,
			fills: [{ status: "rejected" }, { tokenId: second.tokenId, status: "submitted" }],
		});
	});

	test("buys use the priority fee of the plan, within the limit of network fees", async () => {
		await plans.sell({ ether: TENTH, rank: 100 });
		const plan = await plans.armed(by, { maxItems: 1, priorityFeeWei: "70000000000" });
		expect((await plan.read()).priorityFeeWei).toBe("70000000000");
		await plans.covered();
		const [sent] = plans.lab.sent;
		expect(sent?.maxPriorityFeePerGas).toBe(70_000_000_000n);
		expect(sent?.maxFeePerGas).toBeGreaterThan(70_000_000_000n);
		await plans.lab.tick();
		expect((await plan.read()).fills[0].status).toBe("confirmed");
		// 200 dollars are a tenth of an ether: 1000 gwei are beyond that.
		await plans.sell({ ether: TENTH, rank: 100 });
		const dear = await plans.armed(by, { maxItems: 1, priorityFeeWei: "1000000000000" });
		await plans.covered();
		expect(await dear.read()).toMatchObject({ failureCode: "network_fee_limit", filledCount: 0 });
	});

	test("buys begin with the rarest token if the plan says so", async () => {
		await plans.sell({ ether: TENTH, rank: 100 });
		const rare = await plans.sell({ ether: 4n * TENTH, rank: 2 });
		const plan = await plans.armed(by, { order: "rarest", maxItems: 1 });
		await plans.covered();
		expect(tokensOf(await plan.read())).toEqual([rare.tokenId]);
	});
});

describe("an early plan", () => {
	const early = { maxRank: undefined, early: true, traits: [{ type: "Eyes", values: ["Laser"] }] };
	const noticed = async () => {
		const at = new Date(plans.clock.nowMs());
		const [row] = await plans.db.query<{ id: number }>(
			`insert into reveal_snipe.detection (collection_id, chain_id, signal, evidence, heard_at,
				detected_at, content_digest, step)
			values ($1, 31337, 'poll', 'traits', $2, $2, '\\x00', 'reading') returning id`,
			[plans.collectionId, at],
		);
		return row?.id ?? -1;
	};

	test("an early plan buys as soon as a token is revealed; others wait until all tokens are read", async () => {
		const seen = await plans.sell({ ether: TENTH, rank: null, traits: { Eyes: "Laser" } });
		const hidden = await plans.sell({ ether: TENTH, rank: null });
		const plan = await plans.armed(by, early);
		const patient = await plans.armed(by, { ...early, early: false });
		const evaluator = plans.evaluator();
		const shown = { id: await noticed(), collectionId: plans.collectionId };
		await evaluator.shown(shown);
		await evaluator.ended();
		expect(tokensOf(await plan.read())).toEqual([seen.tokenId]);
		expect(tokensOf(await patient.read())).toEqual([]);
		await plans.know(BigInt(hidden.tokenId), null, { Eyes: "Laser" });
		await evaluator.shown(shown);
		await evaluator.ended();
		expect(tokensOf(await plan.read())).toEqual([seen.tokenId, hidden.tokenId]);
	});

	test("an early plan buys nothing after the reveal was withdrawn", async () => {
		await plans.sell({ ether: TENTH, rank: null, traits: { Eyes: "Laser" } });
		const plan = await plans.armed(by, early);
		const id = await noticed();
		await plans.db.execute("update reveal_snipe.detection set ended_at = now() where id = $1", [
			id,
		]);
		const evaluator = plans.evaluator();
		await evaluator.shown({ id, collectionId: plans.collectionId });
		await evaluator.ended();
		expect(tokensOf(await plan.read())).toEqual([]);
	});
});

describe("a plan whose collection is revealed", () => {
	test("[RVL-05] [RVL-07] a plan buys what fits, the cheapest first, counts it when sent, and completes", async () => {
		const common = await plans.sell({ ether: TENTH, rank: 300 });
		const dear = await plans.sell({ ether: 5n * TENTH, rank: 1 });
		const third = await plans.sell({ ether: 4n * TENTH, rank: 100 });
		const first = await plans.sell({ ether: TENTH, rank: 150 });
		const second = await plans.sell({ ether: 3n * TENTH, rank: 2 });
		const plan = await plans.armed(by, { maxItems: 2 });
		expect(tokensOf(await plan.read())).toEqual([]);
		await plans.covered();
		expect(await plan.read()).toMatchObject({
			status: "armed",
			spentNative: 0.4,
			spentRaw: String(4n * TENTH),
			filledCount: 2,
			fills: [
				{ tokenId: first.tokenId, rank: 150, priceNative: 0.1, status: "submitted" },
				{ tokenId: second.tokenId, rank: 2, priceNative: 0.3, status: "submitted" },
			],
		});
		expect((await plan.read()).fills[0]).toMatchObject({
			planId: plan.id,
			failureCode: null,
			createdAt: new Date(plans.clock.nowMs()).toISOString(),
		});
		await plans.lab.tick();
		for (const { tokenId } of [first, second]) {
			expect(await ownerOf(tokenId)).toBe(by.wallet.address);
		}
		for (const { tokenId } of [common, dear, third]) {
			expect(await ownerOf(tokenId)).not.toBe(by.wallet.address);
		}
		await checkPlans(plans.context, plans.signal);
		expect(await plan.read()).toMatchObject({ status: "completed", filledCount: 2 });
		const intent = await intentOf((await plan.read()).fills[0]);
		expect(intent).toMatchObject({ channel: "snipe", kind: "nft_buy", status: "confirmed" });
	});

	test("a plan buys by traits, in any spelling, and never in a token, from itself, or without a rank", async () => {
		const traits = { Eyes: "Laser", Hat: "Crown" };
		const laser = await plans.sell({ ether: TENTH, rank: null, traits });
		const hat = await plans.sell({ ether: TENTH, rank: 1, traits: { Hat: "Crown" } });
		const both = await plans.sell({ ether: 2n * TENTH, rank: 7, traits });
		const coin = await plans.lab.list({ ether: TENTH });
		await plans.know(coin.listing.tokenId ?? 0n, 1, traits);
		await plans.book(coin, { currency: plans.lab.seaport.tokens.coin });
		await plans.sell({ ether: TENTH, rank: 1, traits, seller: 1 });
		const wanted = [
			{ type: "eyes", values: ["gold", "LASER"] },
			{ type: "hat", values: ["crown"] },
		];
		const plan = await plans.armed(by, { maxRank: undefined, traits: wanted });
		const ranked = await plans.armed(by, { maxRank: 5, traits: wanted });
		await plans.covered();
		expect(tokensOf(await plan.read()).sort()).toEqual([both.tokenId, laser.tokenId].sort());
		expect(tokensOf(await ranked.read())).toEqual([]);
		await plans.lab.tick();
		expect(await ownerOf(hat.tokenId)).not.toBe(by.wallet.address);
	});

	test("a plan stays within its budget, and takes the cheaper of two listings", async () => {
		await plans.sell({ ether: 4n * TENTH, rank: 1 });
		await plans.sell({ ether: 4n * TENTH, rank: 2 });
		const cheap = await plans.sell({ ether: 2n * TENTH, rank: 3 });
		const plan = await plans.armed(by, { budgetNative: 0.6 });
		await plans.covered();
		const read = await plan.read();
		expect(read).toMatchObject({ spentNative: 0.6, filledCount: 2 });
		expect(tokensOf(read)).toContain(cheap.tokenId);
	});

	test("a plan continues with a token's next listing, or the next token, if one is gone", async () => {
		const sold = await plans.sell({ ether: TENTH, rank: 1 });
		const other = await plans.sell({
			...{ ether: 2n * TENTH, rank: 1, tokenId: BigInt(sold.tokenId) },
		});
		const gone = await plans.sell({ ether: TENTH, rank: 2 });
		const next = await plans.sell({ ether: TENTH, rank: 3 });
		plans.withdraw(sold.listed);
		plans.withdraw(gone.listed);
		const plan = await plans.armed(by);
		await plans.covered();
		const { fills, spentRaw } = await plan.read();
		expect(fills).toMatchObject([
			{ tokenId: sold.tokenId, orderHash: other.listed.orderHash, status: "submitted" },
			{ tokenId: gone.tokenId, status: "rejected", failureCode: "listing_not_found" },
			{ tokenId: next.tokenId, status: "submitted" },
		]);
		expect(spentRaw).toBe(String(3n * TENTH));
	});

	test("[RVL-07] a plan gets back the price of a failed buy, and buys another token for it", async () => {
		const raced = await plans.sell({ ether: 4n * TENTH, rank: 1 });
		const plan = await plans.armed(by, { budgetNative: 0.4, maxItems: 1 });
		// Another buyer is faster, between the simulation and the block.
		plans.lab.state.beforeSend = async () => {
			plans.lab.state.beforeSend = async () => {};
			const from = plans.lab.seaport.accounts[3] ?? "0x";
			await plans.lab.seaport.fulfillBasicOrder(raced.listed.order, { from, value: 4n * TENTH });
		};
		await plans.covered();
		expect(await plan.read()).toMatchObject({ spentNative: 0.4, filledCount: 1 });
		const next = await plans.sell({ ether: 3n * TENTH, rank: 2 });
		// A revert is reported after one more block.
		await plans.lab.tick();
		await plans.lab.anvil.rpc("anvil_mine", ["0x1"]);
		await plans.lab.tick(60_000);
		expect(await plan.read()).toMatchObject({ status: "armed", spentNative: 0, filledCount: 0 });
		await plans.again();
		expect(await plan.read()).toMatchObject({
			spentNative: 0.3,
			filledCount: 1,
			fills: [
				{ tokenId: raced.tokenId, status: "failed" },
				{ tokenId: next.tokenId, status: "submitted" },
			],
		});
	});

	test("a plan buys listings up to half an hour after the reveal, and no later ones", async () => {
		const plan = await plans.armed(by);
		await plans.covered();
		const soon = await plans.sell({ ether: TENTH, rank: 1 });
		await plans.again();
		expect(tokensOf(await plan.read())).toEqual([soon.tokenId]);
		await plans.sell({ ether: TENTH, rank: 2 });
		await plans.again(30 * 60_000);
		expect(tokensOf(await plan.read())).toEqual([soon.tokenId]);
	});

	test("a plan buys nothing after the reveal was withdrawn, until it happens again", async () => {
		const { tokenId, listed } = await plans.sell({ ether: TENTH, rank: 1 });
		const plan = await plans.armed(by);
		plans.withdraw(listed);
		await plans.covered();
		expect(await plan.read()).toMatchObject({ fills: [{ status: "rejected" }] });
		const next = await plans.sell({ ether: TENTH, rank: 2 });
		await endPlansDue(plans.db, plans.collectionId);
		await plans.again();
		const { orderHash } = next.listed;
		const late = await makeOne(plan.id, { tokenId: next.tokenId, orderHash, isRevealed: false });
		expect(late.kind).toBe("stopped");
		expect(tokensOf(await plan.read())).toEqual([tokenId]);
		await plans.covered();
		expect(tokensOf(await plan.read())).toEqual([tokenId, next.tokenId]);
	});

	test("[RVL-07] a plan buys a token with the largest possible id, and shows it to the last digit", async () => {
		const { accounts } = plans.lab.seaport;
		const id = await plans.lab.seaport.mintNft(accounts[2] ?? "0x", 2n ** 256n - 1n);
		await plans.know(id, 1);
		await plans.sell({ ether: TENTH, rank: 1, tokenId: id });
		const plan = await plans.armed(by);
		await plans.covered();
		await plans.lab.tick();
		const { fills } = await plan.read();
		expect(fills).toMatchObject([{ tokenId: String(2n ** 256n - 1n), status: "confirmed" }]);
		expect(await ownerOf(String(id))).toBe(by.wallet.address);
		expect((await intentOf(fills[0])).request).toMatchObject({ tokenId: String(id) });
	});

	test("[RVL-09] a plan is not evaluated while paused, before the reveal, or with plans turned off", async () => {
		const { tokenId } = await plans.sell({ ether: TENTH, rank: 1 });
		const plan = await plans.armed(by);
		await plans.again();
		expect(tokensOf(await plan.read())).toEqual([]);
		await plans.call(`/snipes/${plan.id}/pause`, { method: "POST", by });
		await plans.covered();
		expect(tokensOf(await plan.read())).toEqual([]);
		await plans.call(`/snipes/${plan.id}/resume`, { method: "POST", by });
		plans.context.isOn = false;
		await plans.again();
		expect(tokensOf(await plan.read())).toEqual([]);
		plans.context.isOn = true;
		await plans.again();
		expect(tokensOf(await plan.read())).toEqual([tokenId]);
	});

	test("[RVL-08] a plan is paused before it buys if its wallet changed", async () => {
		await plans.sell({ ether: TENTH, rank: 1 });
		const plan = await plans.armed(by);
		await plans.db.execute("update wallets.wallet set revision = revision + 1 where id = $1", [
			by.wallet.id,
		]);
		await plans.covered();
		expect(await plan.read()).toMatchObject({
			status: "paused",
			pauseReason: "wallet_revision_changed",
			fills: [],
		});
		expect(plans.lab.sent).toEqual([]);
	});

	test("a plan never asks for a confirmation: it is paused if its profile now requires one", async () => {
		await plans.sell({ ether: TENTH, rank: 1 });
		await plans.sell({ ether: TENTH, rank: 2 });
		const plan = await plans.armed(by);
		const answer = plans.lab.fake.answers.listingFulfilment;
		plans.lab.fake.answers.listingFulfilment = async (...asked) => {
			await plans.db.execute(
				"update wallets.profile set require_trade_confirmation = true where id = $1",
				[by.profile.id],
			);
			return answer(...asked);
		};
		await plans.covered();
		const read = await plan.read();
		expect(read).toMatchObject({ status: "paused", pauseReason: "confirmation_required" });
		// Two may have been on their way side by side.
		const asked = read.fills.map(({ status, failureCode }: any) => `${status} ${failureCode}`);
		expect(new Set(asked)).toEqual(new Set(["rejected cancelled"]));
		expect(plans.lab.sent).toEqual([]);
	});

	test("a plan ends its pass at one of its owner's limits, and reports it", async () => {
		by = await plans.buyer({ dailyUsdMax: 300_000_000n });
		await plans.sell({ ether: TENTH, rank: 1 });
		await plans.sell({ ether: TENTH, rank: 2 });
		await plans.sell({ ether: TENTH, rank: 3 });
		const plan = await plans.armed(by);
		await plans.covered();
		const read = await plan.read();
		// One token of 0.1 ETH (200 dollars) fits into the day's limit, and no second one.
		expect(read).toMatchObject({ failureCode: "daily_limit", filledCount: 1 });
		const refused = read.fills.filter(({ status }: any) => status === "rejected");
		expect(refused.map(({ failureCode }: any) => failureCode)).toEqual([
			"daily_limit",
			"daily_limit",
		]);
	});
});

describe("the provider", () => {
	const fulfilments = () => plans.lab.fake.callsOf("listingFulfilment").length;

	test("[RVL-09] the provider is asked for a fulfilment up to five times if it does not answer", async () => {
		await plans.sell({ ether: TENTH, rank: 1 });
		const answer = plans.lab.fake.answers.listingFulfilment;
		plans.lab.fake.answers.listingFulfilment = async (...asked) => {
			if (fulfilments() < 5) throw plans.lab.fake.faults.unavailable();
			return answer(...asked);
		};
		const plan = await plans.armed(by);
		await plans.covered();
		expect(fulfilments()).toBe(5);
		expect(await plan.read()).toMatchObject({ filledCount: 1, failureCode: null });
	});

	test("a provider that is down for longer ends the pass, and the listing is tried in a later one", async () => {
		await plans.sell({ ether: TENTH, rank: 1 });
		await plans.sell({ ether: TENTH, rank: 2 });
		plans.lab.fake.fail("listingFulfilment", plans.lab.fake.faults.unreadable());
		const plan = await plans.armed(by);
		await plans.covered();
		// Each of the two that were on their way.
		expect(fulfilments()).toBe(10);
		expect(await plan.read()).toMatchObject({ failureCode: "provider_unreadable", filledCount: 0 });
		plans.lab.fake.fail("listingFulfilment", null);
		await plans.again();
		expect(await plan.read()).toMatchObject({ failureCode: null, filledCount: 2 });
	});

	test("[RVL-09] a provider that limits or refuses is not asked again", async () => {
		const { rateLimited, refused } = plans.lab.fake.faults;
		for (const fault of [rateLimited(), refused()]) {
			await plans.sell({ ether: TENTH, rank: 1 });
			const before = fulfilments();
			plans.lab.fake.fail("listingFulfilment", fault);
			const plan = await plans.armed(by);
			await plans.covered();
			const asked = (await plan.read()).fills.length;
			expect(fulfilments() - before).toBe(asked);
			expect((await plan.read()).failureCode).toBe(fault.code);
			await plans.call(`/snipes/${plan.id}/cancel`, { method: "POST", by });
		}
	});
});

describe("crashes and simultaneous evaluators", () => {
	test("a buy that was recorded and not sent is sent by the service's own jobs", async () => {
		const { tokenId, listed } = await plans.sell({ ether: TENTH, rank: 1 });
		const plan = await plans.armed(by);
		const made = await makeOne(plan.id, { tokenId, orderHash: listed.orderHash });
		expect(made.kind).toBe("made");
		expect(await plan.read()).toMatchObject({ filledCount: 0, fills: [{ status: "created" }] });
		await plans.lab.tick(11_000);
		expect(await plan.read()).toMatchObject({ filledCount: 1, fills: [{ status: "submitted" }] });
		await plans.lab.tick();
		expect(await ownerOf(tokenId)).toBe(by.wallet.address);
	});

	test("a buy that was recorded and not sent is cancelled with its plan", async () => {
		const { tokenId, listed } = await plans.sell({ ether: TENTH, rank: 1 });
		const plan = await plans.armed(by);
		await makeOne(plan.id, { tokenId, orderHash: listed.orderHash });
		await plans.call(`/snipes/${plan.id}/cancel`, { method: "POST", by });
		await plans.lab.tick(11_000);
		expect(await plan.read()).toMatchObject({
			status: "cancelled",
			fills: [{ status: "rejected", failureCode: "cancelled" }],
		});
		expect(plans.lab.sent).toEqual([]);
	});

	test("a buy that is sent at the moment in which its plan is paused is not cancelled", async () => {
		const { tokenId, listed } = await plans.sell({ ether: TENTH, rank: 1 });
		const plan = await plans.armed(by);
		await makeOne(plan.id, { tokenId, orderHash: listed.orderHash });
		const { execution } = plans.context.wallets;
		let asked = 0;
		plans.context.wallets.execution = {
			...execution,
			// It was read as unsent, and is sent now.
			async cancel(intentId, given) {
				asked++;
				await execution.advance([intentId], plans.signal);
				return execution.cancel(intentId, given);
			},
		};
		const paused = await plans.call(`/snipes/${plan.id}/pause`, { method: "POST", by });
		expect({ asked, status: paused.body.status }).toEqual({ asked: 1, status: "paused" });
		await plans.lab.tick();
		expect(await plan.read()).toMatchObject({ filledCount: 1, fills: [{ status: "confirmed" }] });
		expect(await ownerOf(tokenId)).toBe(by.wallet.address);
		expect(plans.lab.sent).toHaveLength(1);
	});

	test("[RVL-09] an evaluator records no buy after its turn is over, nor for a paused plan", async () => {
		const { tokenId, listed } = await plans.sell({ ether: TENTH, rank: 1 });
		const plan = await plans.armed(by);
		const { orderHash } = listed;
		const session = "tapeline test";
		const old = await takeEvaluation(plans.db, { id: plan.id, session, durationMs: 0 });
		const held = await takeEvaluation(plans.db, { id: plan.id, session, durationMs: 60_000 });
		const third = await takeEvaluation(plans.db, { id: plan.id, session, durationMs: 60_000 });
		expect(third).toBeNull();
		const stale = await makeOne(plan.id, { tokenId, orderHash, token: old ?? -1 });
		expect(stale.kind).toBe("stopped");
		await plans.call(`/snipes/${plan.id}/pause`, { method: "POST", by });
		const late = await makeOne(plan.id, { tokenId, orderHash, token: held ?? -1 });
		expect(late.kind).toBe("stopped");
		expect((await plan.read()).fills).toEqual([]);
	});

	test("[RVL-09] a plan is held by one evaluator for 120 s, and by no other meanwhile", async () => {
		await plans.sell({ ether: TENTH, rank: 1 });
		const plan = await plans.armed(by);
		const answer = plans.lab.fake.answers.listingFulfilment;
		let leftMs = 0;
		plans.lab.fake.answers.listingFulfilment = async (...asked) => {
			const [row] = await plans.db.query<{ ms: number }>(
				`select extract(epoch from evaluation_until - clock_timestamp())::float8 * 1000 as ms
				from reveal_snipe.plan where id = $1`,
				[plan.id],
			);
			leftMs = row?.ms ?? 0;
			const other = { id: plan.id, session: "tapeline test", durationMs: 120_000 };
			expect(await takeEvaluation(plans.db, other)).toBeNull();
			await plans.covered();
			return answer(...asked);
		};
		await plans.covered();
		// Minus the time since it was taken, however slow this machine is.
		expect(leftMs).toBeGreaterThan(0);
		expect(leftMs).toBeLessThanOrEqual(120_000);
		expect(await plan.read()).toMatchObject({ filledCount: 1, fills: [{ status: "submitted" }] });
	});

	test("a plan whose evaluator's process is gone is taken over at once", async () => {
		const plan = await plans.armed(by);
		const gone = { id: plan.id, session: "nobody has this name", durationMs: 120_000 };
		expect(await takeEvaluation(plans.db, gone)).toBe(1);
		const taken = { id: plan.id, session: "tapeline test", durationMs: 120_000 };
		expect(await takeEvaluation(plans.db, taken)).toBe(2);
	});

	test("[RVL-07] a buy above the ceiling, the budget or the count is refused, for every caller", async () => {
		const plan = await plans.armed(by, { maxItems: 2, budgetNative: 0.5 });
		const one = (tokenId: string, priceRaw: bigint) =>
			makeOne(plan.id, { tokenId, orderHash: hashOf(tokenId), priceRaw });
		const kinds = async (...asked: [string, bigint][]) => {
			const made = await Promise.all(asked.map(([id, priceRaw]) => one(id, priceRaw)));
			return made.map(({ kind }) => kind).sort();
		};
		expect(await kinds(["1", 4n * TENTH + 1n])).toEqual(["skipped"]);
		// Two fills at once that each fit alone: one of them is made.
		expect(await kinds(["2", 3n * TENTH], ["3", 3n * TENTH])).toEqual(["made", "skipped"]);
		expect(await kinds(["4", 2n * TENTH + 1n])).toEqual(["skipped"]);
		expect(await kinds(["5", TENTH], ["6", TENTH])).toEqual(["made", "skipped"]);
		expect(await kinds(["7", 1n])).toEqual(["skipped"]);
		expect((await plan.read()).fills).toHaveLength(2);
	});

	test("two plans never buy one listing: the second buys another one", async () => {
		for (let rank = 1; rank <= 4; rank++) await plans.sell({ ether: TENTH, rank });
		const other = await plans.buyer({ account: 3 });
		const all = [
			await plans.armed(by, { maxItems: 1 }),
			await plans.armed(by, { maxItems: 1 }),
			await plans.armed(other, { maxItems: 2 }),
		];
		await plans.covered();
		const read = async () =>
			(await Promise.all(all.map((plan) => plan.read()))).flatMap((plan) => plan.fills);
		await until(async () => {
			await plans.lab.tick();
			return (await read()).every(({ status }) => status === "confirmed");
		}, "all are mined");
		const fills = await read();
		expect(fills).toHaveLength(4);
		expect(new Set(fills.map(({ orderHash }) => orderHash)).size).toBe(4);
	});

	test("[RVL-07] two simultaneous evaluators buy no token twice, and no more than one would", async () => {
		for (let rank = 1; rank <= 4; rank++) await plans.sell({ ether: TENTH, rank });
		const plan = await plans.armed(by, { maxItems: 3 });
		const [one, other] = [plans.evaluator(), plans.evaluator()];
		await Promise.all(
			[one, other].map((each) =>
				each.covered({ id: 0, collectionId: plans.collectionId }, plans.signal),
			),
		);
		expect(await plan.read()).toMatchObject({ filledCount: 3, spentNative: 0.3 });
		expect(plans.lab.sent).toHaveLength(3);
	});
});

const hashOf = (text: string) => `0x${text.padStart(64, "0")}` as const;

/** Makes a fill as an evaluator does; with the newest token unless given another. */
async function makeOne(
	planId: string,
	given: Pick<Candidate, "tokenId" | "orderHash"> & {
		priceRaw?: bigint;
		token?: number;
		isRevealed?: boolean;
	},
) {
	const { tokenId, orderHash, priceRaw = TENTH, token, isRevealed = true } = given;
	const at = new Date(plans.clock.nowMs());
	const until = new Date(at.getTime() + 60_000);
	const { collectionId } = plans;
	if (isRevealed) await makePlansDue(plans.db, { detectionId: 0, collectionId, at, until });
	const [row] = await plans.db.query<{ token: number }>(
		"select evaluation_token as token from reveal_snipe.plan where id = $1",
		[planId],
	);
	const candidate = { tokenId, orderHash, priceRaw, rank: 1 } as Candidate;
	const asked = { planId, token: token ?? row?.token ?? -1, candidate };
	return makeFill(plans.context, { ...asked, profile: by.profile });
}
