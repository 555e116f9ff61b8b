import { expect, test } from "bun:test";
import { addressOf, keyOf } from "#plugins/wallets/testing/identityFixture.ts";
import { identityOfFile } from "#plugins/wallets/testing/identityOfFile.ts";

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

test("[TRD-09] settings change one by one, and what is not named stays", async () => {
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

test("[TRD-09] whoever armed something notices a change, and no change is none", async () => {
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

test("with the provider's access token a profile is made where there is none, and then found", async () => {
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
test("settings that are changed at the same time all count", async () => {
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
