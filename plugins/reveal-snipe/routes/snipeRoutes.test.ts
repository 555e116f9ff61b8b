import { beforeEach, describe, expect, test } from "bun:test";
import { dbFault } from "#core/db/Database.ts";
import { EVALUATED_FOR_MS } from "#plugins/reveal-snipe/limits.ts";
import { checkPlans } from "#plugins/reveal-snipe/plans/checkPlans.ts";
import { watchPlanned } from "#plugins/reveal-snipe/plans/createEvaluator.ts";
import { printOf } from "#plugins/reveal-snipe/prints.ts";
import { writeSeen } from "#plugins/reveal-snipe/sql/detections.ts";
import { countWatchedOthers, watchCollection } from "#plugins/reveal-snipe/sql/watch.ts";
import { type Buyer, ETHER } from "#test/harness/openBuyLab.ts";
import { type PlansLab, planBodyOf, usePlans } from "#test/harness/plans.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: a plan is stored once, as its owner wrote it, for a wallet that can execute it; and
// only its owner sees or moves it.

const open = usePlans();
let plans: PlansLab;
let by: Buyer;
beforeEach(async () => {
	({ plans, by } = await open());
});

const arm = (change: Record<string, unknown> = {}, key?: string) =>
	plans.call("/snipes", { body: planBodyOf(change), by, ...(key && { key }) });
const watched = async () =>
	(await plans.db.query<{ id: number }>("select collection_id as id from reveal_snipe.watch")).map(
		({ id }) => id,
	);

describe("POST /v1/nft-market/snipes", () => {
	test("[RVL-05] 201 with all fields of a plan; the collection is watched", async () => {
		const { status, body } = await arm({ traits: [{ type: "Eyes", values: ["Laser"] }] });
		expect({ status, body }).toMatchObject({
			status: 201,
			body: {
				status: "armed",
				chain: "anvil",
				collectionSlug: "tidal-cats",
				contractAddress: plans.contract,
				trigger: "on_reveal",
				maxRank: 200,
				traits: [{ type: "Eyes", values: ["Laser"] }],
				maxPricePerItemNative: 0.4,
				maxPricePerItemRaw: "400000000000000000",
				budgetNative: 2,
				budgetRaw: "2000000000000000000",
				...{ maxItems: 5, order: "cheapest", early: false, priorityFeeWei: null },
				spentNative: 0,
				filledCount: 0,
				failureCode: null,
				pauseReason: null,
				walletId: by.wallet.id,
				createdAt: new Date(plans.clock.nowMs()).toISOString(),
				fills: [],
			},
		});
		const lastsMs = Date.parse(body.expiresAt) - plans.clock.nowMs();
		expect(lastsMs).toBe(30 * 86_400_000);
		expect(await watched()).toEqual([plans.collectionId]);
		expect((await plans.call(`/snipes/${body.id}`, { by })).body).toEqual(body);
	});

	test("[RVL-05] a plan shows whether it can still buy, and what it would buy now", async () => {
		const cheap = await plans.sell({ ether: ETHER / 10n, rank: 3 });
		await plans.sell({ ether: ETHER / 4n, rank: 900 });
		const second = await plans.sell({ ether: (ETHER * 3n) / 10n, rank: 4 });
		await plans.sell({ ether: (ETHER * 4n) / 10n, rank: 5 });
		const { body } = await arm({ maxItems: 2 });
		expect(body.outlook).toEqual({
			...{ isBaselineSeen: false, probes: 0, probesHidden: 0, isRevealed: false },
			...{ bookReadAt: null, bookAgeSeconds: null, lastReveal: null },
			wouldBuy: {
				tokenIds: [cheap.tokenId, second.tokenId],
				...{ totalNative: 0.4, totalRaw: "400000000000000000" },
			},
			note: "baseline: unseen. Its tokens were not looked at yet.",
		});
		const read = async () => (await plans.call(`/snipes/${body.id}`, { by })).body.outlook;
		const unseen = {
			...{ baseline: [], shown: null, latest: [], reading: null, hiddenTraits: null },
		};
		await writeSeen(plans.db, plans.collectionId, { ...unseen, tokenIds: [1n] });
		expect(await read()).toMatchObject({
			...{ isBaselineSeen: false, probes: 1 },
			note: "baseline: unseen. Fewer than two of its tokens are known yet.",
		});
		await writeSeen(plans.db, plans.collectionId, { ...unseen, tokenIds: [1n, 2n] });
		expect(await read()).toMatchObject({
			...{ isBaselineSeen: false, probes: 2, probesHidden: 0 },
			note: expect.stringMatching(/^baseline: unseen\. .* refuses or does not answer\./),
		});
		const print = (id: number, picture: string) =>
			printOf({ tokenId: BigInt(id), uri: null, shown: { imageUrl: picture, traits: null } });
		const baseline = [print(1, "sealed"), print(2, "sealed")];
		await writeSeen(plans.db, plans.collectionId, {
			...{ tokenIds: [1n, 2n, 3n], baseline, shown: null, hiddenTraits: null, reading: "hidden" },
			latest: baseline,
		});
		expect((await read()).note).toBe(
			"It waits for the reveal. baseline: 2 of 3 tokens, the others could not be read.",
		);
		await writeSeen(plans.db, plans.collectionId, {
			...{ tokenIds: [1n, 2n], baseline, shown: null, hiddenTraits: null, reading: "hidden" },
			latest: [print(1, "sealed"), print(2, "out")],
		});
		const orderedAt = new Date(plans.clock.nowMs() - 90_000);
		await plans.db.execute(
			`insert into market_index.sync (collection_id, chain_id, orders_at) values ($1, 31337, $2)
			on conflict (collection_id) do update set orders_at = excluded.orders_at`,
			[plans.collectionId, orderedAt],
		);
		expect(await read()).toMatchObject({
			...{ isBaselineSeen: true, probes: 2, probesHidden: 1, bookAgeSeconds: 90 },
			...{ bookReadAt: orderedAt.toISOString(), note: "It waits for the reveal." },
		});
		await plans.db.execute("update market_index.collection set reveal_state = 'revealed'");
		expect(await read()).toMatchObject({
			...{ isRevealed: true, probesHidden: 0 },
			note: "The collection is revealed already: it waits for the next reveal.",
		});
		// Lists read no book.
		expect((await plans.call("/snipes", { by })).body.data[0].outlook).toBeNull();
	});

	test("[RVL-05] 201 for a plan that was stored although its forecast failed, with the reason", async () => {
		const { book } = plans.context.market;
		const { listings } = book;
		book.listings = () => Promise.reject(dbFault.databaseUnavailable());
		const { status, body } = await arm({}, "key-1");
		expect(status).toBe(201);
		expect(body).toMatchObject({
			...{ status: "armed", maxItems: 5, outlook: null },
			outlookUnknown: expect.stringContaining(dbFault.databaseUnavailable().code),
		});
		const read = async () => (await plans.call(`/snipes/${body.id}`, { by })).body;
		expect((await read()).outlook).toBeNull();
		book.listings = () => Promise.reject(new TypeError("a mistake of ours"));
		expect((await read()).outlookUnknown).toContain("internal_error");
		book.listings = listings;
		expect(await read()).toMatchObject({
			...{ id: body.id, outlookUnknown: null, outlook: { note: expect.any(String) } },
		});
		expect((await arm({}, "key-1")).body.id).toBe(body.id);
		expect((await plans.call("/snipes", { by })).body.data).toHaveLength(1);
	});

	test("after a reveal without a buy the plan shows its owner the reason", async () => {
		await plans.sell({ ether: ETHER / 10n, rank: 900 });
		const plan = await plans.armed(by);
		await plans.covered();
		expect(await plan.read()).toMatchObject({
			failureCode: "rank_above_ceiling",
			outlook: { note: expect.stringContaining("bought no more: rank_above_ceiling") },
		});
		const at = new Date(plans.clock.nowMs());
		await plans.db.execute(
			`insert into reveal_snipe.detection (collection_id, chain_id, signal, evidence, heard_at,
				detected_at, content_digest, step, ended_at, outcome)
			values ($1, 31337, 'poll', 'traits', $2, $2, '\\x00', 'ended', $2, 'partial')`,
			[plans.collectionId, at],
		);
		plans.clock.ms += EVALUATED_FOR_MS;
		expect((await plan.read()).outlook).toMatchObject({
			lastReveal: { noticedAt: at.toISOString(), endedAt: at.toISOString(), outcome: "partial" },
			note: "A reveal was noticed and nothing bought, because many of its tokens are still hidden.",
		});
	});

	test("[RVL-06] 422 for a rank in an ERC-1155 collection, which has no ranks; traits are accepted", async () => {
		await plans.db.execute("update market_index.collection set standard = 'erc1155'");
		const { status, body } = await arm();
		expect({ status, code: body.code, issues: body.issues }).toMatchObject({
			...{ status: 422, code: "validation_error", issues: [{ path: "maxRank" }] },
		});
		expect(await watched()).toEqual([]);
		const traits = [{ type: "Eyes", values: ["Laser"] }];
		expect((await arm({ maxRank: undefined, traits })).status).toBe(201);
	});

	test("amounts are read from their text, exactly", async () => {
		const text = JSON.stringify(planBodyOf()).replace("0.4", "0.123456789012345678");
		const { body } = await plans.call("/snipes", { body: text, by });
		expect(body.maxPricePerItemRaw).toBe("123456789012345678");
	});

	test("a repeated key with the same body is one plan, and with another body is refused", async () => {
		const first = await arm({}, "key-1");
		const again = await arm({}, "key-1");
		expect(again.body).toEqual(first.body);
		expect(again.headers.get("idempotency-replayed")).toBe("true");
		expect((await arm({ maxItems: 6 }, "key-1")).body.code).toBe("idempotency_conflict");
		expect((await plans.call("/snipes", { by })).body.data).toHaveLength(1);
	});

	test("[RVL-06] 409 confirmation_required_incompatible, before the wallet is checked", async () => {
		by = await plans.buyer({ requireTradeConfirmation: true, capability: "external/manual" });
		const { status, body } = await arm();
		expect({ status, code: body.code }).toEqual({
			status: 409,
			code: "confirmation_required_incompatible",
		});
		expect(await watched()).toEqual([]);
	});

	test.each(["external/manual", "embedded/manual", "review-required", "disabled"] as const)(
		"[RVL-06] 409 delegated_execution_wallet_required with a wallet that is %s",
		async (capability) => {
			by = await plans.buyer({ capability });
			const { status, body } = await arm();
			expect({ status, code: body.code }).toEqual({
				status: 409,
				code: "delegated_execution_wallet_required",
			});
		},
	);

	test.each([
		["neither a rank nor traits", { maxRank: undefined }, "validation_error"],
		["no traits in the list", { maxRank: undefined, traits: [] }, "validation_error"],
		["a ceiling of nothing", { maxPricePerItemNative: 0 }, "amount_invalid"],
		["a budget below the ceiling", { budgetNative: 0.39 }, "validation_error"],
		["an exponent", { budgetNative: "1e3" }, "amount_invalid"],
		["a rank of zero", { maxRank: 0 }, "validation_error"],
		["no items", { maxItems: 0 }, "validation_error"],
		["an early plan by rank", { early: true }, "validation_error"],
		["an order that there is not", { order: "newest" }, "validation_error"],
		["a tip of more than 1000 gwei", { priorityFeeWei: "1000000000001" }, "validation_error"],
		["a tip of nothing", { priorityFeeWei: "0" }, "validation_error"],
		["too many items", { maxItems: 101 }, "validation_error"],
		["another trigger", { trigger: "on_mint" }, "validation_error"],
		["a misspelled limit", { maxPrice: 1 }, "validation_error"],
		["an end in the past", { expiresAt: "2020-01-01T00:00:00Z" }, "validation_error"],
		["an end in ten years", { expiresAt: "2036-12-01T00:00:00Z" }, "validation_error"],
		["a chain that is not served", { chain: "moon" }, "validation_error"],
	])("[RVL-05] [RVL-06] 422 for %s", async (_, change, code) => {
		if ("chain" in change)
			plans.context.market.find = async () => ({ id: 1, chain: "moon" }) as never;
		const { status, body } = await arm(change);
		expect({ status, code: body.code }).toEqual({ status: 422, code });
		expect(await watched()).toEqual([]);
	});

	test("422 for somebody else's wallet; 404 for an unknown collection", async () => {
		const stranger = await plans.buyer({ account: 3 });
		expect((await arm({ walletId: stranger.wallet.id })).body).toMatchObject({
			status: 422,
			issues: [{ path: "walletId" }],
		});
		expect((await arm({ collectionSlug: "nobody" })).status).toBe(404);
	});

	test("422 for traits that no token of a revealed collection has; 201 for known ones in any spelling", async () => {
		await plans.know(1n, 1, { Eyes: "Laser" });
		const eyes = (value: string) => ({ traits: [{ type: "eyes", values: [value] }] });
		expect((await arm(eyes("gold"))).status).toBe(201);
		await plans.db.execute("update market_index.collection set reveal_state = 'revealed'");
		expect((await arm(eyes("gold"))).body).toMatchObject({
			status: 422,
			issues: [{ path: "traits.0" }],
		});
		expect((await arm(eyes("LASER"))).status).toBe(201);
	});

	test("401 without a session, before the body is validated", async () => {
		expect((await plans.call("/snipes", { body: "nonsense" })).status).toBe(401);
		for (const path of ["/snipes", "/snipes/x"]) {
			expect((await plans.call(path)).status).toBe(401);
		}
		for (const event of ["pause", "resume", "cancel"]) {
			const { status } = await plans.call(`/snipes/x/${event}`, { method: "POST" });
			expect(status).toBe(401);
		}
	});

	test("[RVL-09] 409 snipes_disabled if plans are disabled; existing plans can be stopped", async () => {
		const { body } = await arm();
		plans.context.isOn = false;
		expect((await arm()).body).toMatchObject({ status: 409, code: "snipes_disabled" });
		const move = (event: string) =>
			plans.call(`/snipes/${body.id}/${event}`, { method: "POST", by });
		expect((await move("pause")).body.status).toBe("paused");
		expect((await move("resume")).body.code).toBe("snipes_disabled");
		expect((await move("cancel")).body.status).toBe("cancelled");
	});

	test("409 for a plan beyond fifty open ones, and 201 again after a cancellation", async () => {
		const { body } = await arm();
		await plans.db.execute(
			`insert into reveal_snipe.plan select gen_random_uuid(), profile_id, wallet_id,
				collection_id, chain_id, contract, max_rank, traits, max_price_raw, budget_raw, max_items,
				status, pause_reason, failure_code, canonical_wallet_id, profile_revision,
				wallet_revision, created_at, changed_at, expires_at
			from reveal_snipe.plan, generate_series(1, 49)`,
		);
		expect((await arm()).body.code).toBe("plans_too_many");
		await plans.call(`/snipes/${body.id}/cancel`, { method: "POST", by });
		expect((await arm()).status).toBe(201);
	});
});

describe("a chain at its limit of watched collections", () => {
	test("409 reveals_full for one more collection, and 201 for one that is already watched", async () => {
		await plans.db.execute(
			`insert into reveal_snipe.watch (collection_id, chain_id, reason, since)
			select 1000000 + n, 31337, 'plan', now() from generate_series(1, 500) as n`,
		);
		expect((await arm()).body).toMatchObject({ status: 409, code: "reveals_full" });
		await plans.db.execute(
			"update reveal_snipe.watch set collection_id = $1 where collection_id = 1000001",
			[plans.collectionId],
		);
		expect((await arm()).status).toBe(201);
	});

	test("of two simultaneous plans for new collections one is armed if the chain has room for one", async () => {
		await plans.db.execute(
			`insert into reveal_snipe.watch (collection_id, chain_id, reason, since)
			select 1000000 + n, 31337, 'plan', now() from generate_series(1, 499) as n`,
		);
		const arm = (collectionId: number, meanwhile: () => Promise<unknown>) =>
			plans.db.transaction(async (tx) => {
				const chainId = 31_337;
				if ((await countWatchedOthers(tx, { collectionId, chainId })) >= 500) return false;
				await watchCollection(tx, { collectionId, chainId, reason: "plan", at: new Date(0) });
				await meanwhile();
				return true;
			});
		const isWaiting = async () =>
			(await plans.db.query("select from pg_locks where locktype = 'advisory' and not granted"))
				.length > 0;
		const second: Promise<boolean>[] = [];
		const first = await arm(2_000_000, () => {
			second.push(arm(2_000_001, async () => {}));
			return Promise.race([...second, until(isWaiting, "the second plan waits")]);
		});
		expect([first, await second[0]]).toEqual([true, false]);
	});
});

describe("listing, pausing, resuming and cancelling snipes", () => {
	test("[RVL-10] the list is newest first, in pages, and by status; each profile sees its own", async () => {
		const ids: string[] = [];
		for (let made = 0; made < 3; made++) ids.unshift((await arm()).body.id);
		await plans.call(`/snipes/${ids[0]}/pause`, { method: "POST", by });
		const first = await plans.call("/snipes?limit=2", { by });
		expect(first.body.data.map(({ id }: any) => id)).toEqual(ids.slice(0, 2));
		const { nextCursor } = first.body.page;
		const rest = await plans.call(`/snipes?limit=2&cursor=${nextCursor}`, { by });
		expect(rest.body.data.map(({ id }: any) => id)).toEqual(ids.slice(2));
		expect(rest.body.page).toEqual({ nextCursor: null, hasMore: false });
		const paused = await plans.call("/snipes?status=paused", { by });
		expect(paused.body.data.map(({ id }: any) => id)).toEqual([ids[0]]);
		const other = await plans.buyer({ account: 4 });
		expect((await plans.call("/snipes", { by: other })).body.data).toEqual([]);
		expect((await plans.call(`/snipes/${ids[0]}`, { by: other })).status).toBe(404);
		const moved = { method: "POST", by: other };
		expect((await plans.call(`/snipes/${ids[1]}/cancel`, moved)).status).toBe(404);
		expect((await plans.call("/snipes/nonsense", { by })).status).toBe(404);
	});

	test("[RVL-10] a plan can be paused and resumed repeatedly, cancelling is final, and other moves get 409", async () => {
		const { id } = (await arm()).body;
		const move = async (event: string) => {
			const { status, body } = await plans.call(`/snipes/${id}/${event}`, { method: "POST", by });
			return status === 200 ? body.status : body.code;
		};
		expect(await move("resume")).toBe("plan_state");
		expect(await move("pause")).toBe("paused");
		expect(await move("pause")).toBe("plan_state");
		expect(await move("resume")).toBe("armed");
		expect(await move("cancel")).toBe("cancelled");
		for (const event of ["pause", "resume", "cancel"]) {
			expect(await move(event)).toBe("plan_state");
		}
		await watchPlanned(plans.context);
		expect(await watched()).toEqual([]);
	});

	test("[RVL-08] a changed wallet or profile pauses a plan with its reason; resuming accepts the change", async () => {
		const { id } = (await arm()).body;
		const read = async () => (await plans.call(`/snipes/${id}`, { by })).body;
		const change = async (what: string) => {
			await plans.db.execute(what, [by.profile.id]);
			await checkPlans(plans.context, plans.signal);
			const { status, pauseReason } = await read();
			return [status, pauseReason];
		};
		const origin = "https://app.example";
		const resume = () => plans.call(`/snipes/${id}/resume`, { method: "POST", by, origin });
		const profile = "update wallets.profile set";
		const wallet = "update wallets.wallet set";
		const raised = await change(`${profile} revision = revision + 1 where id = $1`);
		expect(raised).toEqual(["paused", "wallet_revision_changed"]);
		expect((await resume()).body).toMatchObject({ status: "armed", pauseReason: null });
		expect(
			await change(`${profile} canonical_wallet_id = (select id from wallets.wallet
				where profile_id = $1), revision = revision + 1 where id = $1`),
		).toEqual(["paused", "wallet_changed"]);
		await resume();
		const confirms = `${profile} require_trade_confirmation = true where id = $1`;
		expect(await change(confirms)).toEqual(["paused", "confirmation_required"]);
		expect((await resume()).body.code).toBe("confirmation_required_incompatible");
		await change(`${profile} require_trade_confirmation = false where id = $1`);
		// What waits for its owner's yes no program says yes to.
		const byProgram = await plans.call(`/snipes/${id}/resume`, { method: "POST", by });
		expect(byProgram).toMatchObject({ status: 403, body: { code: "origin_not_allowed" } });
		await resume();
		const manual = `${wallet} capability = 'embedded/manual' where profile_id = $1`;
		expect(await change(manual)).toEqual(["paused", "wallet_not_delegated"]);
		expect((await resume()).body.code).toBe("delegated_execution_wallet_required");
		await change(`${wallet} capability = 'embedded/delegated' where profile_id = $1`);
		await resume();
		const review = `${wallet} capability = 'review-required' where profile_id = $1`;
		expect(await change(review)).toEqual(["paused", "delegation_disabled"]);
		await change(`${wallet} capability = 'embedded/delegated' where profile_id = $1`);
		await resume();
		const gone = `${wallet} removed_at = now() where profile_id = $1`;
		expect(await change(gone)).toEqual(["paused", "wallet_inactive"]);
		expect(await watched()).toEqual([plans.collectionId]);
	});

	test("a plan expires after its time, and its collection is no longer watched", async () => {
		const { id } = (await arm()).body;
		plans.clock.ms += 30 * 86_400_000;
		await checkPlans(plans.context, plans.signal);
		expect((await plans.call(`/snipes/${id}`, { by })).body.status).toBe("expired");
		await watchPlanned(plans.context);
		expect(await watched()).toEqual([]);
	});
});
