import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import { readReceipt } from "#plugins/wallets/chain/readReceipts.ts";
import type { Intent, SubmissionState } from "#plugins/wallets/model.ts";
import { applyFinding } from "#plugins/wallets/reconcile/applyFinding.ts";
import { WATCH_NEVER_MS, WATCH_UNNAMED_MS } from "#plugins/wallets/reconcile/looks.ts";
import {
	type Fact,
	type Finding,
	transitions,
	unseenOf,
	unseenTimes,
} from "#plugins/wallets/reconcile/transitions.ts";
import {
	type Submission,
	type SubmissionRow,
	submissionRow,
} from "#plugins/wallets/submission/submission.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("applyFinding", () => {
	// Guarantee: what was found out is written where the row stands as it was looked at, and what
	// followed from an older finding is taken back first.

	const PAID = 1_000_000_000;
	const STATES: readonly SubmissionState[] = [
		...([
			"queued",
			"sending",
			"sent",
			"doubtful",
			"dropped",
			"mined",
			"reverted",
			"never",
		] as const),
	];
	let database: TestDatabase;
	let lab: Lab;
	let intent: Intent;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database?.drop());
	beforeEach(async () => {
		await database.db.execute("truncate wallets.profile cascade");
		lab = openExecutionLab(database.db);
		const [paid] = await lab.pay(await lab.person());
		if (!paid) throw new Error("no intent");
		intent = paid;
	});

	async function read(): Promise<Submission> {
		const [row] = await lab.db.query<SubmissionRow>(
			`select ${submissionRow.columns} from wallets.submission s`,
		);
		if (!row) throw new Error("no submission");
		return submissionRow.read(row);
	}
	const become = (state: SubmissionState, status: string) =>
		Promise.all([
			lab.db.execute("update wallets.submission set state = $1", [state]),
			lab.db.execute("update wallets.intent set status = $1", [status]),
		]);
	const apply = (submission: Submission, finding: Finding) =>
		lab.db.transaction((tx) => applyFinding(lab.deps, tx, { submission, finding, missing: null }));

	/** All that is known of intents: rows, moves and money. */
	async function everything(): Promise<unknown> {
		return await Promise.all(
			["submission", "intent", "intent_move", "spend_entry"].map((table) =>
				lab.db.query(`select to_jsonb(t) from wallets.${table} t order by 1`),
			),
		);
	}

	async function seen(): Promise<Finding> {
		const { transactionHash: hash } = await read();
		if (!hash) throw new Error("it has no hash");
		const sighting = await readReceipt(lab.chain.rpc, { hash, minBlock: 0, signal: lab.signal });
		if (!sighting) throw new Error("nobody knows it");
		return { kind: "seen", transactionHash: hash, sighting };
	}

	const HASH: Hex = `0x${"ab".repeat(32)}`;
	const NEVER: Finding = { kind: "never", code: "not_sent", detail: "an old look" };
	const findings = async (): Promise<Finding[]> => {
		const waits = await seen();
		lab.chain.mine();
		const told = { transactionHash: HASH };
		return [
			...[waits, await seen(), NEVER, { kind: "unknown" } as const],
			...[{ kind: "told", ...told } as const, { kind: "dropped", ...told } as const],
		];
	};

	test("[TRD-08] an older lookup writes nothing if the row was changed since, whatever it found", async () => {
		const stale = await read();
		for (const finding of await findings()) {
			for (const state of STATES) {
				for (const now of STATES) {
					if (now === state) continue;
					await become(now, "submitted");
					const before = await everything();
					await apply({ ...stale, state }, finding);
					expect([finding.kind, state, now, await everything()]).toEqual([
						...[finding.kind, state, now, before],
					]);
				}
			}
		}
	});

	test("[TRD-08] a final submission is unchanged, whatever an older lookup found", async () => {
		const stale = await read();
		const found = await findings();
		for (const state of ["mined", "reverted", "never", "sent"] as const) {
			await become(state, "submitted");
			await lab.db.execute("update wallets.submission set final_at = now()");
			const before = await everything();
			for (const finding of found) await apply({ ...stale, state }, finding);
			expect(await everything()).toEqual(before);
		}
	});

	test("[TRD-08] a finding that two lookups report simultaneously is written once", async () => {
		lab.moods.push("loses");
		const [lost] = await lab.pay(await lab.person());
		const rows = await lab.db.query<SubmissionRow>(
			`select ${submissionRow.columns} from wallets.submission s where state = 'doubtful'`,
		);
		const [row] = rows;
		if (!row || !lost) throw new Error("nothing is in doubt");
		const submission = submissionRow.read(row);
		await Promise.all(Array.from({ length: 4 }, () => apply(submission, NEVER)));
		expect(await lab.moves(lost.id)).toEqual(["reserve", "doubt", "disproved"]);
		expect(await lab.ledger(lost.id)).toEqual({ reserve: PAID, release: PAID });
	});

	/** Looks at what stands now. */
	const find = async (finding: Finding) => apply(await read(), finding);

	test("[TRD-08] each reorg moves the money once, and back", async () => {
		lab.chain.mine();
		await find(await seen());
		expect(await lab.ledger(intent.id)).toEqual({ reserve: PAID, spend: PAID });
		// Its block is gone, and with it what was spent.
		await find({ kind: "told", transactionHash: (await read()).transactionHash ?? HASH });
		expect(await read()).toMatchObject({ state: "sent", blockNumber: null, blockHash: null });
		expect(await lab.ledger(intent.id)).toEqual({ reserve: PAID, spend: PAID, unspend: PAID });
		await find(NEVER);
		expect(await lab.intent(intent.id)).toMatchObject({ status: "failed", errorCode: "not_sent" });
		expect(await lab.ledger(intent.id)).toMatchObject({ unspend: PAID, release: PAID });
		// It turns up after all: that it waits proves nothing, that a block has it does.
		lab.chain.reorg({ depth: 1 });
		await find(await seen());
		expect((await lab.intent(intent.id)).status).toBe("failed");
		expect(await lab.ledger(intent.id)).toMatchObject({ release: PAID });
		lab.chain.mine();
		await find(await seen());
		expect((await lab.intent(intent.id)).status).toBe("confirmed");
		expect(await lab.ledger(intent.id)).toEqual({
			...{ reserve: PAID, spend: 2 * PAID, unspend: PAID, release: PAID, unrelease: PAID },
		});
	});

	for (const [what, finding, status] of [
		["nobody knows any more", { kind: "unknown" }, "uncertain"],
		["never left, as is proved now,", NEVER, "failed"],
		["every node dropped", { kind: "dropped", transactionHash: HASH }, "uncertain"],
	] as const) {
		for (const end of ["success", "revert"] as const) {
			test(`[TRD-08] a receipt of ${end} of what ${what} is undone together with its ledger entry`, async () => {
				lab.chain.mine();
				const mined = await seen();
				if (mined.kind !== "seen" || !mined.sighting.receipt) throw new Error("it is not mined");
				mined.sighting.receipt.succeeded = end === "success";
				await find({ ...mined, isAgreed: true });
				const [before, back] = end === "success" ? ["spend", "unspend"] : ["release", "unrelease"];
				expect(await lab.ledger(intent.id)).toEqual({ reserve: PAID, [before ?? ""]: PAID });
				await find(finding);
				expect((await lab.intent(intent.id)).status).toBe(status);
				const { release = 0, ...rest } = await lab.ledger(intent.id);
				expect(rest).toMatchObject({ reserve: PAID, [back ?? ""]: PAID });
				const isReleased = Number(end === "revert") + Number(status === "failed");
				expect(release).toBe(isReleased * PAID);
				expect(await read()).toMatchObject({ blockNumber: null, blockHash: null });
			});
		}
	}

	test("[TRD-08] a disproved payment is watched for a day, and accepted if it is seen meanwhile", async () => {
		await find(NEVER);
		lab.clock.ms = intent.createdAtMs + WATCH_NEVER_MS - 1;
		await find(NEVER);
		const isFinal = () =>
			lab.db.query("select 1 from wallets.submission where final_at is not null");
		expect(await isFinal()).toHaveLength(0);
		lab.clock.ms++;
		await find(NEVER);
		expect(await isFinal()).toHaveLength(1);
		expect(await lab.moves(intent.id)).toEqual(["reserve", "sent", "disproved"]);
	});

	test("[TRD-08] a disproved payment that its node forgot is watched for a week", async () => {
		await find(NEVER);
		const isFinal = () =>
			lab.db.query("select 1 from wallets.submission where final_at is not null");
		lab.clock.ms = intent.createdAtMs + WATCH_UNNAMED_MS - 1;
		await find({ kind: "unknown" });
		expect(await isFinal()).toHaveLength(0);
		lab.clock.ms++;
		await find({ kind: "unknown" });
		expect(await isFinal()).toHaveLength(1);
		expect(await lab.moves(intent.id)).toEqual(["reserve", "sent", "disproved"]);
	});

	test("[TRD-08] a finding that repeats the submission's state is not written again", async () => {
		for (const [state, status, finding] of [
			["doubtful", "uncertain", { kind: "unknown" }],
			["never", "failed", { kind: "unknown" }],
			["dropped", "uncertain", { kind: "dropped", transactionHash: HASH }],
			["sent", "submitted", { kind: "told", transactionHash: HASH }],
		] as const) {
			await become(state, status);
			const before = await everything();
			await find(finding);
			expect(await everything()).toEqual(before);
		}
	});

	test("[TRD-08] a receipt that is already known changes and announces nothing", async () => {
		lab.chain.mine();
		await find(await seen());
		const before = await everything();
		await find(await seen());
		expect(await everything()).toEqual(before);
		expect(await lab.moves(intent.id)).toEqual(["reserve", "sent", "mined"]);
	});

	for (const end of ["success", "revert"] as const) {
		test(`[ING-11] a receipt of ${end} in another block undoes the effect of the previous receipt`, async () => {
			lab.chain.mine();
			await find(await seen());
			lab.chain.reorg({ depth: 1 });
			lab.chain.mine();
			const again = await seen();
			if (again.kind !== "seen" || !again.sighting.receipt) throw new Error("it is not mined");
			again.sighting.receipt.succeeded = end === "success";
			await find({ ...again, isAgreed: true });
			const { blockHash, blockNumber } = again.sighting.receipt;
			expect(await read()).toMatchObject({ blockHash, blockNumber });
			const taken = { reserve: PAID, unspend: PAID };
			expect(await lab.ledger(intent.id)).toEqual(
				end === "success"
					? { ...taken, spend: 2 * PAID }
					: { ...taken, spend: PAID, release: PAID },
			);
			expect((await lab.moves(intent.id)).slice(2)).toEqual([
				...["mined", "reorged", end === "success" ? "mined" : "reverted"],
			]);
		});
	}

	test("[TRD-08] a disproved payment that is mined after all is reserved again, and spent", async () => {
		await find(NEVER);
		lab.chain.mine();
		await find(await seen());
		expect((await lab.intent(intent.id)).status).toBe("confirmed");
		expect(await lab.ledger(intent.id)).toEqual({
			...{ reserve: PAID, release: PAID, unrelease: PAID, spend: PAID },
		});
	});
});

describe("transitions", () => {
	// Guarantee: every pair of a state and a finding has one outcome, written here a second time.

	const FACTS: readonly Fact[] = [
		...(["waits", "told", "mined", "reverted", "claimed"] as const),
		...(["dropped", "refused", "unknown", "never"] as const),
	];

	/** Each state, with what each finding makes of it, in the order of `FACTS`. */
	const EXPECTED = {
		sending: "sent sent mined reverted reverted dropped refused doubtful never",
		sent: "sent sent mined reverted reverted dropped refused doubtful never",
		doubtful: "sent sent mined reverted reverted dropped refused doubtful never",
		dropped: "sent sent mined reverted reverted dropped refused doubtful never",
		refused: "sent sent mined reverted reverted dropped refused doubtful never",
		mined: "sent sent mined reverted reverted dropped refused doubtful never",
		reverted: "sent sent mined reverted reverted dropped refused doubtful never",
		denied: "sent sent mined reverted never dropped refused never never",
		never: "never never mined reverted never never never never never",
	};

	test("[TRD-08] each finding leads each state to the one in the table", () => {
		const walked = Object.entries(transitions).map(([state, ways]) => {
			expect(Object.keys(ways).toSorted()).toEqual(FACTS.toSorted());
			return [state, FACTS.map((fact) => ways[fact]).join(" ")];
		});
		expect(Object.fromEntries(walked)).toEqual(EXPECTED);
	});

	test("a payment that is proved never to be mined changes only by a block that contains it", () => {
		const left = FACTS.filter((fact) => transitions.never[fact] !== "never");
		expect(left).toEqual(["mined", "reverted"]);
	});
});

test("each waiting time counts from when a node last showed the payment, depending on who signed it", () => {
	const base = { nonce: 1, seenAtMs: null, sentAtMs: 1_000, createdAtMs: 0, validUntilMs: 5_000 };
	const at = (change: Partial<typeof base> | { nonce: null; seenAtMs: number }, nowMs: number) =>
		unseenOf({ ...base, ...change } as never, nowMs);
	for (const [nonce, { askAfterMs, loseAfterMs }] of [
		[1, unseenTimes.ours],
		[null, unseenTimes.owners],
	] as const) {
		for (const seenAtMs of [null, 7_000]) {
			const from = seenAtMs ?? 1_000;
			const when = { nonce, seenAtMs } as never;
			expect(at(when, from + askAfterMs - 1).isAskedFor).toBe(false);
			expect(at(when, from + askAfterMs).isAskedFor).toBe(true);
			expect(at(when, from + loseAfterMs).isLost).toBe(false);
			expect(at(when, from + loseAfterMs + 1).isLost).toBe(true);
		}
	}
	expect(at({}, 5_000).isRunOut).toBe(false);
	expect(at({}, 5_000 + 60_000).isRunOut).toBe(true);
});
