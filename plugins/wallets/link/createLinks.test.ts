import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Fault } from "#core/fault.ts";
import {
	askAgain,
	createLinks,
	type Links,
	pruneLinksJob,
} from "#plugins/wallets/link/createLinks.ts";
import { readLinked, renderLink } from "#plugins/wallets/link/readLinked.ts";
import { type LinkAnswer, useLink } from "#plugins/wallets/link/useLink.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { hashBatch } from "#plugins/wallets/plan.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createLinks", () => {
	// Guarantee: a link is one question about one plan, and takes one answer.

	let database: TestDatabase;
	let lab: Lab;
	let links: Links;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());
	beforeEach(async () => {
		await database.db.execute("truncate wallets.profile cascade");
		lab = openExecutionLab(database.db);
		links = createLinks({ ...lab.deps, publicUrl: "https://app.example" });
	});

	const asking = { requireTradeConfirmation: true } as const;

	function tokenOf({ url }: { url: string }): string {
		return url.split("/").pop() ?? "";
	}

	async function codeOf(work: Promise<unknown>): Promise<unknown> {
		return work.then(
			() => "done",
			(error) => (error instanceof Fault ? error.code : error),
		);
	}

	const use = (token: string) => lab.db.transaction((tx) => links.use(tx, token));

	async function asked(times = 1): Promise<Intent[]> {
		return lab.pay(await lab.person(asking), { times });
	}

	function answer(token: string, given: LinkAnswer) {
		const context = {
			...lab,
			links,
			authenticate: () => Promise.reject(new Error("nobody asks")),
			chainOf: () => null,
			origins: { trusts: () => true },
			ending: lab.signal,
		};
		return useLink(context, { token, answer: given, by: null });
	}

	/** Until somebody in this database waits for a lock. */
	async function waits(): Promise<void> {
		for (let look = 0; look < 10_000; look++) {
			const rows = await lab.db.query(
				`select 1 from pg_locks l join pg_stat_activity a using (pid)
			where not l.granted and a.datname = current_database()`,
			);
			if (rows.length > 0) return;
		}
		throw new Error("nobody waits");
	}

	test("a token has 256 bits, and the database has only its hash", async () => {
		const [intent] = await asked();
		if (!intent) throw new Error("no intent");
		const all = await Promise.all(Array.from({ length: 10 }, () => links.make(intent, "confirm")));
		const tokens = all.map(tokenOf);
		expect(new Set(tokens).size).toBe(10);
		for (const token of tokens) expect(Buffer.from(token, "base64url")).toHaveLength(32);
		const rows = await lab.db.query<{ row: string }>("select l::text as row from wallets.link l");
		const stored = rows.map(({ row }) => row).join();
		for (const token of tokens) {
			expect(stored).not.toContain(token);
			expect(stored).not.toContain(Buffer.from(token, "base64url").toString("hex"));
		}
	});

	test("viewing a link does not use it up; of simultaneous uses one succeeds", async () => {
		const [intent] = await asked();
		if (!intent) throw new Error("no intent");
		const token = tokenOf(await links.make(intent, "confirm"));
		for (let look = 0; look < 3; look++) {
			expect(await links.look(token)).toMatchObject({ intentId: intent.id, purpose: "confirm" });
		}
		const codes = await Promise.all(Array.from({ length: 8 }, () => codeOf(use(token))));
		expect(codes.sort()).toEqual(["done", ...Array.from({ length: 7 }, () => "not_found")]);
		expect(await codeOf(links.look(token))).toBe("not_found");
	});

	test("a link that is used in a transaction that fails stays unused", async () => {
		const [intent] = await asked();
		if (!intent) throw new Error("no intent");
		const token = tokenOf(await links.make(intent, "confirm"));
		const failing = lab.db.transaction(async (tx) => {
			await links.use(tx, token);
			throw new Error("later");
		});
		await expect(failing).rejects.toThrow("later");
		expect(await codeOf(use(token))).toBe("done");
	});

	describe("the lifetime of a link", () => {
		test("a link to confirm is valid until its question expires, to the millisecond", async () => {
			const [intent] = await asked();
			if (!intent) throw new Error("no intent");
			const link = await links.make(intent, "confirm");
			expect(link.expiresAtMs).toBe(intent.expiresAtMs);
			lab.clock.ms = link.expiresAtMs - 1;
			expect(await codeOf(links.look(tokenOf(link)))).toBe("done");
			lab.clock.ms = link.expiresAtMs;
			expect(await codeOf(links.look(tokenOf(link)))).toBe("not_found");
			expect(await codeOf(use(tokenOf(link)))).toBe("not_found");
		});

		test("a link to sign accepts a report for a while after it is no longer shown", async () => {
			const by = await lab.person({ capability: "external/manual" });
			const [intent] = await lab.pay(by);
			if (!intent) throw new Error("no intent");
			const link = await links.make(intent, "sign");
			lab.clock.ms = link.expiresAtMs + 899_999;
			expect(await codeOf(links.look(tokenOf(link)))).toBe("not_found");
			expect(await codeOf(use(tokenOf(link)))).toBe("done");
			const late = await links.make(intent, "sign");
			lab.clock.ms = late.expiresAtMs + 900_000;
			expect(await codeOf(use(tokenOf(late)))).toBe("not_found");
		});
	});

	test("at most twenty links are open for one intent", async () => {
		const [intent] = await asked();
		if (!intent) throw new Error("no intent");
		for (let made = 0; made < 20; made++) await links.make(intent, "confirm");
		expect(await codeOf(links.make(intent, "confirm"))).toBe("links_too_many");
	});

	test("an intent without a plan gets no link", async () => {
		const [intent] = await lab.pay(await lab.person(), { stays: true });
		if (!intent) throw new Error("no intent");
		expect(await codeOf(links.make(intent, "sign"))).toBe("intent_state");
	});

	describe("the plan of a link", () => {
		test("a link does not confirm a plan that was made after it", async () => {
			const [intent] = await asked();
			if (!intent?.planHash) throw new Error("no plan");
			const token = tokenOf(await links.make(intent, "confirm"));
			await lab.db.execute("update wallets.intent set plan_hash = sha256('another plan')");
			const link = await links.look(token);
			expect(await codeOf(readLinked(lab.db, link))).toBe("not_found");
			expect(await codeOf(answer(token, { planHash: intent.planHash }))).toBe("not_found");
			expect((await lab.intent(intent.id)).status).toBe("confirmation_required");
			expect(lab.handed).toHaveLength(0);
		});

		test("a link does not confirm a plan that changes during the confirmation", async () => {
			const [intent] = await asked();
			if (!intent?.planHash) throw new Error("no plan");
			const { planHash } = intent;
			const token = tokenOf(await links.make(intent, "confirm"));
			let code: Promise<unknown> = Promise.resolve();
			await lab.db.transaction(async (tx) => {
				await tx.execute("update wallets.intent set plan_hash = sha256('another plan')");
				code = codeOf(answer(token, { planHash }));
				await waits();
			});
			expect(await code).toBe("not_found");
			expect((await lab.intent(intent.id)).status).toBe("confirmation_required");
		});

		test("one confirmation covers a whole batch, by the hash of all its plans", async () => {
			const batch = await asked(3);
			const [first] = batch;
			if (!first?.planHash) throw new Error("no plan");
			const token = tokenOf(await links.make(first, "confirm"));
			const { planHash } = await links.look(token);
			expect(planHash).toBe(hashBatch(batch) ?? "0x");
			expect(await codeOf(answer(token, { planHash: first.planHash }))).toBe("plan_changed");
			const after = await answer(token, { planHash });
			expect(after.map(({ status }) => status)).toEqual(["submitted", "submitted", "submitted"]);
			expect(lab.handed).toHaveLength(3);
		});
	});

	test("[TRF-04] a confirmation that is given twice sends once", async () => {
		const [intent] = await asked();
		if (!intent?.planHash) throw new Error("no plan");
		const { planHash } = intent;
		const tokens = [await links.make(intent, "confirm"), await links.make(intent, "confirm")].map(
			tokenOf,
		);
		const codes = await Promise.all(tokens.map((token) => codeOf(answer(token, { planHash }))));
		// By two links: the second finds a question that was answered.
		expect(codes.sort()).toEqual(["done", "not_found"]);
		expect(lab.handed).toHaveLength(1);
	});

	test("a further request gives one link for a batch, and one for each transaction to sign", async () => {
		const batch = await asked(3);
		const urls = [...(await askAgain(links, batch)).values()].map(({ url }) => url);
		expect(new Set(urls).size).toBe(1);
		const signing = await lab.pay(await lab.person({ capability: "external/manual" }), {
			times: 3,
		});
		const own = [...(await askAgain(links, signing)).values()].map(({ url }) => url);
		expect(new Set(own).size).toBe(3);
		const done = await lab.pay(await lab.person(), { times: 2 });
		expect((await askAgain(links, done)).size).toBe(0);
	});

	test("a link shows no price if none is known, and a chain without a name by its number", async () => {
		const [intent] = await asked();
		if (!intent) throw new Error("no intent");
		const link = await links.look(tokenOf(await links.make(intent, "confirm")));
		lab.prices.setEth(null);
		const shown = renderLink({ ...lab, chainOf: () => null }, { link, intents: [intent] });
		expect(shown.transactions[0]).toMatchObject({
			chain: { id: 31_337, slug: "31337", name: "chain 31337" },
			spend: { amount: "0.5", usd: null },
		});
		expect(shown.total).toEqual({ amount: "0.5", symbol: "ETH", usd: null });
	});
});

describe("pruneLinksJob", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());

	test("links a day past their time are deleted, and no others", async () => {
		const lab = openExecutionLab(database.db);
		const links = createLinks({ ...lab.deps, publicUrl: "https://app.example" });
		const job = pruneLinksJob(lab.deps);
		const [intent] = await lab.pay(await lab.person({ requireTradeConfirmation: true }));
		if (!intent) throw new Error("no intent");
		await links.make(intent, "confirm");
		const endedAgo = (seconds: number) =>
			lab.db.execute("update wallets.link set expires_at = now() - $1 * interval '1 second'", [
				seconds,
			]);
		const count = async () => (await lab.db.query("select 1 from wallets.link")).length;
		// However far a process's clock is ahead: the database's time decides.
		lab.clock.ms += 8 * 86_400_000;
		await endedAgo(86_400 - 600);
		await job.run({ signal: lab.signal });
		expect(await count()).toBe(1);
		await endedAgo(86_400 + 1);
		await job.run({ signal: lab.signal });
		expect(await count()).toBe(0);
	});
});
