import { beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addressOf, keyOf } from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";

describe("postProfile.200", () => {
	/** Looks at who waits for a lock; each is a round trip to the database. */
	const LOOKS_MAX = 20_000;

	const own = identityOfFile();
	const revisionOf = async (id: string) => {
		const [row] = await own.fixture.db.query<{ revision: number }>(
			"select revision from wallets.profile where id = $1",
			[id],
		);
		return row?.revision;
	};

	test("[TRD-09] settings change one by one, and unnamed ones are kept", async () => {
		const { body } = await own.fixture.signIn(keyOf(1));
		const set = async (change: unknown) => {
			const { status, body: profile } = await own.fixture.call("/profile", {
				bearer: body.token,
				body: change,
			});
			expect(status).toBe(200);
			return profile;
		};
		const wallet = body.profile.wallets[0];
		expect(await set({ requireTradeConfirmation: true })).toEqual({
			...body.profile,
			requireTradeConfirmation: true,
		});
		expect(await set({ perTradeUsdMax: "250.5", dailyUsdMax: "1000" })).toMatchObject({
			requireTradeConfirmation: true,
			perTradeUsdMax: "250.5",
			dailyUsdMax: "1000",
		});
		expect(await set({ perTradeUsdMax: "0" })).toMatchObject({ perTradeUsdMax: "0" });
		expect(await set({ perTradeUsdMax: null })).toMatchObject({
			perTradeUsdMax: null,
			dailyUsdMax: "1000",
		});
		const limited = await set({ wallets: [{ id: wallet.id, notionalUsdMax: "0.000001" }] });
		expect(limited.wallets[0].notionalUsdMax).toBe("0.000001");
		expect((await own.fixture.call("/profile", { bearer: body.token })).body).toEqual(limited);
	});

	test("[TRD-09] a change raises the profile's revision, and setting the same values does not", async () => {
		const { body } = await own.fixture.signIn(keyOf(2));
		const { id } = body.profile;
		const before = await revisionOf(id);
		own.fixture.audited.length = 0;
		const set = (change: unknown) =>
			own.fixture.call("/profile", { bearer: body.token, body: change });
		await set({ requireTradeConfirmation: false });
		await set({});
		expect(await revisionOf(id)).toBe(before);
		expect(own.fixture.audited).toEqual([]);
		await set({ requireTradeConfirmation: true, dailyUsdMax: "10" });
		expect(await revisionOf(id)).toBe((before ?? 0) + 1);
		expect(own.fixture.audited).toMatchObject([
			{
				actor: `profile:${id}`,
				action: "wallets.settings.changed",
				subject: `profile:${id}`,
				detail: {
					before: { requireTradeConfirmation: false, dailyUsdMax: null },
					after: { requireTradeConfirmation: true, dailyUsdMax: "10" },
				},
			},
		]);
	});

	test("[TRD-09] the canonical wallet is one of the profile's own, as its owner chooses", async () => {
		const { body } = await own.fixture.signIn(keyOf(3));
		const linked = await own.fixture.signIn(
			keyOf(4),
			{},
			{ bearer: body.token, body: { link: true } },
		);
		const second = linked.body.profile.wallets.find(
			(one: { address: string }) => one.address === addressOf(4),
		);
		const chosen = await own.fixture.call("/profile", {
			bearer: linked.body.token,
			body: { canonicalWalletId: second.id },
		});
		expect(chosen.body.canonicalWalletId).toBe(second.id);
		const stored = await own.fixture.call("/profile", { bearer: linked.body.token });
		expect(stored.body).toEqual(chosen.body);
	});

	test("a provider's access token creates a profile once, and then finds it", async () => {
		const { provider } = own.fixture;
		const token = provider.user("u-1", [
			provider.social("s-1"),
			provider.embedded("w-5", addressOf(5), true),
		]);
		const make = () =>
			own.fixture.call("/profile", { bearer: token, body: { requireTradeConfirmation: true } });
		const answers = await Promise.all([make(), make()]);
		expect(answers.map(({ status }) => status)).toEqual([200, 200]);
		expect(answers[0]?.body).toEqual(answers[1]?.body);
		expect(answers[0]?.body).toMatchObject({
			social: { userId: "s-1" },
			requireTradeConfirmation: true,
			wallets: [{ capability: "embedded/delegated" }],
		});
		const bare = await own.fixture.call("/profile", { method: "POST", bearer: token });
		expect(bare).toMatchObject({ status: 200, body: answers[0]?.body });
	});

	// Guarantee: nobody's safety setting is lost because another change was made in the same moment.
	test("simultaneous changes of different settings are all kept", async () => {
		const { body } = await own.fixture.signIn(keyOf(6));
		const changes = [
			{ requireTradeConfirmation: true },
			{ perTradeUsdMax: "1" },
			{ dailyUsdMax: "2" },
		];
		const answers = await own.fixture.db.transaction(async (tx) => {
			// Whoever reads before it may write reads what is old by then: here all of them have to wait.
			await tx.query("select 1 from wallets.profile where id = $1 for update", [body.profile.id]);
			const asked = changes.map((change) =>
				own.fixture.call("/profile", { bearer: body.token, body: change }),
			);
			let waiting = 0;
			for (let looks = 0; waiting < changes.length && looks < LOOKS_MAX; looks++) {
				await tx.query("select pg_stat_clear_snapshot()");
				const [row] = await tx.query<{ waiting: number }>(
					`select count(*)::int as waiting from pg_stat_activity
				where datname = current_database() and wait_event_type = 'Lock'`,
				);
				waiting = row?.waiting ?? 0;
			}
			expect(waiting).toBe(changes.length);
			return asked;
		});
		const told = await Promise.all(answers);
		expect(told.map(({ status }) => status)).toEqual([200, 200, 200]);
		expect((await own.fixture.call("/profile", { bearer: body.token })).body).toMatchObject({
			requireTradeConfirmation: true,
			perTradeUsdMax: "1",
			dailyUsdMax: "2",
		});
	});
});

describe("postProfile.403", () => {
	// Guarantee: a session that was left open or stolen can lock, and cannot unlock.

	const TEN_MINUTES_MS = 600_000;

	const own = identityOfFile();
	const STRICT = { requireTradeConfirmation: true, perTradeUsdMax: "100", dailyUsdMax: "500" };
	const tooOld = { status: 403, body: { code: "sign_in_too_old", status: 403 } };

	/** Somebody with all safeguards on, who signed in so long ago. */
	async function strict(number: number, agoMs: number) {
		const { body } = await own.fixture.signIn(keyOf(number));
		const wallet: string = body.profile.wallets[0].id;
		const set = (change: unknown) =>
			own.fixture.call("/profile", { bearer: body.token, body: change });
		const safe = { ...STRICT, wallets: [{ id: wallet, notionalUsdMax: "50" }] };
		expect((await set(safe)).status).toBe(200);
		own.fixture.clock.ms += agoMs;
		return { set, wallet, token: body.token };
	}

	test("ten minutes after signing in no safeguard can be weakened, and such a request changes nothing", async () => {
		const { set, wallet, token } = await strict(1, TEN_MINUTES_MS + 1);
		const before = (await own.fixture.call("/profile", { bearer: token })).body;
		own.fixture.audited.length = 0;
		const weaker = [
			{ requireTradeConfirmation: false },
			{ perTradeUsdMax: "100.000001" },
			{ perTradeUsdMax: null },
			{ dailyUsdMax: "501" },
			{ dailyUsdMax: null },
			{ wallets: [{ id: wallet, notionalUsdMax: "51" }] },
			{ wallets: [{ id: wallet, notionalUsdMax: null }] },
			{ requireTradeConfirmation: true, perTradeUsdMax: "1", dailyUsdMax: "1000" },
		];
		for (const change of weaker) expect(await set(change)).toMatchObject(tooOld);
		expect((await own.fixture.call("/profile", { bearer: token })).body).toEqual(before);
		expect(own.fixture.audited).toEqual([]);
		const refused = await set({ dailyUsdMax: null });
		expect(refused.headers.get("content-type")).toBe("application/problem+json");
		expect(refused.body.detail).toContain("Sign in again");
	});

	test("strengthening a safeguard, or repeating its value, needs no new sign-in", async () => {
		const { set, wallet } = await strict(2, TEN_MINUTES_MS * 100);
		for (const change of [
			{},
			STRICT,
			{ perTradeUsdMax: "99.5", dailyUsdMax: "0" },
			{ wallets: [{ id: wallet, notionalUsdMax: "50" }] },
			{ wallets: [{ id: wallet, notionalUsdMax: "0" }], canonicalWalletId: wallet },
		]) {
			expect((await set(change)).status).toBe(200);
		}
	});

	test("safeguards can be weakened for ten minutes, and using the session does not extend that", async () => {
		const { set } = await strict(3, TEN_MINUTES_MS);
		expect((await set({ perTradeUsdMax: "101" })).status).toBe(200);
		own.fixture.clock.ms += 1;
		expect(await set({ perTradeUsdMax: "102" })).toMatchObject(tooOld);
		expect(await set({ perTradeUsdMax: "102" })).toMatchObject(tooOld);
		const { body } = await own.fixture.signIn(keyOf(3));
		const again = await own.fixture.call("/profile", {
			bearer: body.token,
			body: { requireTradeConfirmation: false, perTradeUsdMax: null, dailyUsdMax: null },
		});
		expect(again).toMatchObject({ status: 200, body: { requireTradeConfirmation: false } });
	});

	test("an access token is as fresh as its issue time, alone and in the session that it opens", async () => {
		const { provider, clock } = own.fixture;
		const accounts = [provider.embedded("w-9", addressOf(9), true)];
		const signIn = async (issuedAtMs: number) => {
			const token = provider.user("u-9", accounts, issuedAtMs);
			const { body } = await own.fixture.enrol(token);
			return [token, body.token as string];
		};
		for (const bearer of await signIn(clock.ms - TEN_MINUTES_MS)) {
			for (const change of [STRICT, { requireTradeConfirmation: false, dailyUsdMax: null }]) {
				expect((await own.fixture.call("/profile", { bearer, body: change })).status).toBe(200);
			}
			await own.fixture.call("/profile", { bearer, body: STRICT });
		}
		for (const issuedAtMs of [clock.ms - TEN_MINUTES_MS - 1, 0]) {
			for (const bearer of await signIn(issuedAtMs)) {
				const weaker = { requireTradeConfirmation: false };
				expect(await own.fixture.call("/profile", { bearer, body: weaker })).toMatchObject(tooOld);
			}
		}
		clock.ms += TEN_MINUTES_MS + 1;
	});

	test("a profile that is changed with an old sign-in never gets weaker", async () => {
		const { set, wallet, token } = await strict(4, TEN_MINUTES_MS + 1);
		const usd = fc.option(fc.integer({ min: 0, max: 900 }).map(String), { nil: null });
		const change = fc.record(
			{
				requireTradeConfirmation: fc.boolean(),
				perTradeUsdMax: usd,
				dailyUsdMax: usd,
				wallets: usd.map((notionalUsdMax) => [{ id: wallet, notionalUsdMax }]),
			},
			{ requiredKeys: [] },
		);
		const read = async () => (await own.fixture.call("/profile", { bearer: token })).body;
		const rank = (text: string | null) => (text === null ? Number.POSITIVE_INFINITY : Number(text));
		await fc.assert(
			fc.asyncProperty(change, async (asked) => {
				const before = await read();
				const { status } = await set(asked);
				const after = await read();
				if (status !== 200) expect([status, after]).toEqual([403, before]);
				expect(after.requireTradeConfirmation).toBe(true);
				for (const [was, is] of [
					[before.perTradeUsdMax, after.perTradeUsdMax],
					[before.dailyUsdMax, after.dailyUsdMax],
					[before.wallets[0].notionalUsdMax, after.wallets[0].notionalUsdMax],
				]) {
					expect(rank(is)).toBeLessThanOrEqual(rank(was));
				}
			}),
			{ numRuns: 60 },
		);
	});
});

describe("postProfile.422", () => {
	const own = identityOfFile();
	let bearer: string;
	// biome-ignore lint/suspicious/noExplicitAny: an answer.
	let profile: any;

	beforeAll(async () => {
		({ token: bearer, profile } = (await own.fixture.signIn(keyOf(1))).body);
	});
	async function refused(body: unknown) {
		const answer = await own.fixture.call("/profile", { bearer, body });
		const stored = await own.fixture.call("/profile", { bearer });
		expect(stored.body).toEqual(profile);
		return { status: answer.status, code: answer.body.code, path: answer.body.issues?.[0]?.path };
	}

	const INVALID = { status: 422, code: "validation_error" };

	test("[TRD-09] a limit above the deployment's is refused, not stored and ignored", async () => {
		expect(await refused({ perTradeUsdMax: "1000.000001" })).toEqual({
			...INVALID,
			path: "perTradeUsdMax",
		});
		expect(await refused({ dailyUsdMax: "5001" })).toEqual({ ...INVALID, path: "dailyUsdMax" });
		const wallets = [{ id: profile.wallets[0].id, notionalUsdMax: "2000.1" }];
		expect(await refused({ wallets })).toEqual({ ...INVALID, path: "wallets.0.notionalUsdMax" });
		// All or nothing: the good half is not stored either.
		expect(await refused({ requireTradeConfirmation: true, dailyUsdMax: "5001" })).toMatchObject(
			INVALID,
		);
	});

	test("[SEC-04] amounts that are no plain decimals of dollars are refused", async () => {
		const bad = [
			"1e3",
			"0x10",
			"１",
			"1,5",
			"-0",
			"-1",
			"+1",
			"01",
			".5",
			"5.",
			" 1",
			"1 ",
			"",
			"NaN",
			"Infinity",
			"0.0000001",
			"9".repeat(78),
			"9".repeat(20),
			100,
			true,
			{},
			[],
		];
		for (const perTradeUsdMax of bad) {
			const answer = await refused({ perTradeUsdMax });
			expect({ perTradeUsdMax, ...answer }).toEqual({
				perTradeUsdMax,
				...INVALID,
				path: "perTradeUsdMax",
			});
		}
	});

	test("a misspelled setting is refused, so that it never seems to be on", async () => {
		const bad = [
			{ requireTradeConfirmations: true },
			{ require_trade_confirmation: true },
			{ socialUserId: "victim" },
			{ id: "other" },
			{ requireTradeConfirmation: "true" },
			{ requireTradeConfirmation: null },
			{ wallets: [{ id: profile.wallets[0].id, notionalUsdMax: "1", capability: "disabled" }] },
			{ wallets: Array(51).fill({ id: "a", notionalUsdMax: null }) },
			[],
			null,
		];
		for (const body of bad) expect(await refused(JSON.stringify(body))).toMatchObject(INVALID);
	});

	test("[TRD-09] another profile's wallet gets the same refusal as one that does not exist", async () => {
		const { body: other } = await own.fixture.signIn(keyOf(2));
		const theirs = other.profile.wallets[0].id;
		for (const id of [theirs, crypto.randomUUID(), "x", "' or 1=1 --", ""]) {
			const gone = { status: 404, code: "not_found", path: undefined };
			expect(await refused({ canonicalWalletId: id })).toEqual(gone);
			expect(await refused({ wallets: [{ id, notionalUsdMax: "1" }] })).toEqual(gone);
		}
	});
});
