// Runs a request that can move money once for each idempotency key.

import { hexToBytes, keccak256, stringToBytes } from "viem";
import { commitFault } from "#core/db/createCommits.ts";
import { databaseFaultOf, dbFault, type Tx } from "#core/db/Database.ts";
import { assert, defineFaults, Fault } from "#core/fault.ts";
import { stableJson } from "#core/json.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { readyIntents } from "#plugins/wallets/execution/prepareIntent.ts";
import { insertIntents, newIntentRows } from "#plugins/wallets/intent/intentRow.ts";
import {
	createRelease,
	type OnceRecord,
	type Release,
	recordOnce,
} from "#plugins/wallets/once/recordOnce.ts";
import { chargeFor, quotaRefusal } from "#plugins/wallets/quota.ts";
import type { OnceRequest, Recorded } from "#plugins/wallets/Wallets.ts";

export type OnceDeps = Pick<
	ExecutionDeps,
	"db" | "commits" | "clock" | "holder" | "session" | "steps" | "settings" | "newId"
>;

type Answered = { status: number; body: Uint8Array };

type Taken =
	| {
			kind: "ours";
			intentIds: readonly string[];
			recorded: Recorded | null;
			recordId: string | null;
	  }
	| ({ kind: "answered" } & Answered)
	/** Said, not thrown: it wrote nothing, and what shares its commit must not be rolled back. */
	| { kind: "refused"; fault: Fault };

/** Names what can be wrong with an idempotency key. */
export const onceFault = defineFaults({
	idempotencyConflict: {
		status: 409,
		retry: "never",
		public: "That idempotency key was used for another request.",
		advice: "Take a new key for a new request; to repeat the old one, send its very body.",
	},
	requestRunning: {
		status: 409,
		retry: "later",
		public: "The request with that idempotency key is still under way.",
		advice: "Ask again with the same key after `Retry-After`.",
	},
	/** Said where an intent may be recorded, and the caller does not learn what became of it. */
	outcomeUnknown: {
		status: 503,
		retry: "later",
		public:
			"It is not known whether this was done. Send it again with the same idempotency-key, which " +
			"moves nothing twice; without one, look at your intents first.",
		advice:
			"Send it again with the same `idempotency-key`, which moves nothing twice; without " +
			"one, look at your intents first.",
	},
	idempotencyKeyInvalid: {
		status: 422,
		retry: "never",
		public: "An idempotency key is 1 to 255 printable ASCII characters.",
		advice: "Use 1 to 255 printable ASCII characters, such as a UUID.",
	},
});

const WITH_KEY =
	"It is not known whether this was done. Send it again with the same idempotency-key: that " +
	"answers for the same intents, and moves nothing twice.";

const WITHOUT_KEY =
	"It is not known whether this was done, and the request had no idempotency-key. Look at your " +
	"intents before you send it again.";

const WAITING = commitFault.commitsWaiting().code;

const LOST = dbFault.outcomeUnknown().code;

const NOTHING_DONE = "Too much waits to be written down. Nothing was done.";

const THIS_DID_NOTHING =
	"Too much waits to be written down. This request did nothing: send it again with the same " +
	"idempotency-key.";

/** Printable ASCII, so that what is compared is what was typed. */
const KEY = /^[\x21-\x7e]{1,255}$/;
/** Tells a repeated request how long to wait while the first one still runs. */
const RUNNING_RETRY_MS = 1_000;

/** Says after how long no request that moves money is worked on any more. */
const REQUEST_MS_MAX = 600_000;

/**
 * Runs requests that can move money once for each key. The key is taken by the statement that
 * records the intents, so there is never one without the other; a process that takes over from one
 * that died continues the same intents, and those are sent once.
 *
 * A failure on our side, once something may be recorded, is `outcome_unknown`, whatever it was.
 */
export function createOnce(deps: OnceDeps): (request: OnceRequest) => Promise<Response> {
	const release = createRelease(deps);
	return async (request) => {
		const { idempotencyKey: key } = request;
		if (key !== null && !KEY.test(key)) throw onceFault.idempotencyKeyInvalid();
		const taken = await take(deps, request, release);
		void release.owed();
		if (taken.kind === "refused") throw taken.fault;
		if (taken.kind === "answered") return respond(taken, true);
		try {
			const { intentIds, recorded, recordId } = taken;
			const { status, body } = await request.answer(intentIds, recorded, recordId);
			const answered = { status, body: new TextEncoder().encode(JSON.stringify(body)) };
			const kept = key === null ? answered : await keep(deps, request, answered);
			return respond(kept, taken.recorded === null);
		} catch (error) {
			await release.now(request);
			throw unknownOutcome(error, request);
		}
	};
}

async function take(deps: OnceDeps, request: OnceRequest, release: Release): Promise<Taken> {
	const { steps, commits, holder, session } = deps;
	const { idempotencyKey: key, principal, route } = request;
	const { profile } = principal;
	assert(request.intents.length > 0 || request.record, "a request records something");
	const made = readyIntents(deps, request.intents);
	const recordId = request.record ? deps.newId() : null;
	const bodyHash = hexToBytes(keccak256(stringToBytes(stableJson(request.body))));
	const charge = chargeFor(deps, { ...made, profileId: profile.id });
	const record: { result: OnceRecord } = { result: "key_taken" };
	const write = async (tx: Tx) => {
		if (key === null) {
			record.result = (await insertIntents(tx, made, charge)) ? "recorded" : "over_quota";
			return;
		}
		const taking = { profileId: profile.id, route, key, bodyHash, holder, session, recordId };
		record.result = await recordOnce(tx, taking, { made, charge });
	};
	const isSingle = !request.record;
	const writeAll = async (tx: Tx) => {
		await write(tx);
		if (record.result === "recorded" && recordId !== null) await request.record?.(tx, recordId);
	};
	const recording = steps.run("commit.create", () =>
		commits.together(profile.id, async (tx) => {
			tx.beforeCommit(() => writeAll(tx), { singleStatement: isSingle });
		}),
	);
	await recording.catch((error) => {
		const { isLost, failure } = recordingFailed(error, request);
		if (isLost) release.later(request);
		throw failure;
	});
	if (record.result === "over_quota") {
		return { kind: "refused", fault: await quotaRefusal(deps.db, charge) };
	}
	if (record.result === "recorded" || key === null) {
		const intents = newIntentRows.read(made.intents, made.times);
		const intentIds = intents.map(({ id }) => id);
		return { kind: "ours", intentIds, recorded: { intents, profile }, recordId };
	}
	const isOwed = release.claim(request);
	const takingOver = steps.run("commit.create", () =>
		commits.together(profile.id, (tx) => takeOver(deps, tx, { request, key, bodyHash, isOwed })),
	);
	const taken = await takingOver.catch((error) => {
		if (isOwed) release.later(request);
		throw unknownOutcome(error, request);
	});
	if (isOwed && taken.kind === "refused") release.later(request);
	return taken;
}

/**
 * Returns the error to throw where recording intents failed, and whether they may be recorded all
 * the same: only a commit whose answer was lost leaves that in doubt. The error says that nothing
 * was done only where that is proved: the queue of writes was full, and without a key there is no
 * earlier request.
 */
function recordingFailed(
	error: unknown,
	request: Pick<OnceRequest, "idempotencyKey">,
): { isLost: boolean; failure: unknown } {
	const code = error instanceof Fault ? error.code : null;
	if (code === LOST) return { isLost: true, failure: unknownOutcome(error, request) };
	if (code !== WAITING) return { isLost: false, failure: error };
	const told = request.idempotencyKey === null ? NOTHING_DONE : THIS_DID_NOTHING;
	return { isLost: false, failure: commitFault.commitsWaiting({ public: told, cause: error }) };
}

/**
 * Returns the error to throw after a failure during which the request may have been recorded:
 * `outcome_unknown`, with other words for a caller who sent a key. A caller's error and a bug of
 * ours are returned unchanged.
 */
function unknownOutcome(
	error: unknown,
	{ idempotencyKey }: Pick<OnceRequest, "idempotencyKey">,
): unknown {
	const fault = error instanceof Fault ? error : databaseFaultOf(error);
	if (fault?.status !== 503) return error;
	const details = { detail: fault.code, cause: error };
	return idempotencyKey === null
		? onceFault.outcomeUnknown({ ...details, public: WITHOUT_KEY })
		: onceFault.outcomeUnknown({ ...details, public: WITH_KEY });
}

/** Returns what the first request left: its answer, or its intents where it is gone without one. */
async function takeOver(
	deps: OnceDeps,
	tx: Tx,
	given: { request: OnceRequest; key: string; bodyHash: Uint8Array; isOwed: boolean },
): Promise<Taken> {
	const { request, key, bodyHash, isOwed } = given;
	const names = [request.principal.profile.id, request.route, key];
	const rows = await tx.query<{
		same: boolean;
		status: number | null;
		body: Uint8Array | null;
		intent_ids: string[];
		record_id: string | null;
		session: string | null;
		alive: boolean;
	}>(
		`select body_hash = $4 as same, status, body, intent_ids, record_id, session,
			created_at > $5
				and exists (select from pg_stat_activity where application_name = session) as alive
		from wallets.idempotent_answer where profile_id = $1 and route = $2 and key = $3
		for update`,
		[...names, bodyHash, new Date(deps.clock.nowMs() - REQUEST_MS_MAX)],
	);
	const row = rows[0];
	if (!row?.same) return { kind: "refused", fault: onceFault.idempotencyConflict() };
	if (row.status !== null && row.body !== null) {
		return { kind: "answered", status: row.status, body: row.body };
	}
	const isGone = isOwed && row.session === deps.session;
	if (row.alive && !isGone) {
		const members = { retryAfterMs: RUNNING_RETRY_MS };
		return { kind: "refused", fault: onceFault.requestRunning({ members }) };
	}
	await tx.execute(
		`update wallets.idempotent_answer set holder = $4, session = $5, created_at = $6
		where profile_id = $1 and route = $2 and key = $3`,
		[...names, deps.holder, deps.session, new Date(deps.clock.nowMs())],
	);
	const { intent_ids: intentIds, record_id: recordId } = row;
	return { kind: "ours", intentIds, recorded: null, recordId };
}

function respond({ status, body }: Answered, isReplayed: boolean): Response {
	return new Response(new Uint8Array(body), {
		status,
		// It may hold a one-time link.
		headers: {
			"content-type": "application/json; charset=utf-8",
			"cache-control": "no-store",
			...(isReplayed && { "idempotency-replayed": "true" }),
		},
	});
}

/**
 * Stores the answer and returns the stored one: another process may have been faster, and there is
 * one answer for a key.
 */
async function keep(
	{ steps, commits, db }: OnceDeps,
	request: OnceRequest,
	answered: Answered,
): Promise<Answered> {
	const owner = request.principal.profile.id;
	const names = [owner, request.route, request.idempotencyKey];
	const kept = await steps.run("commit.answer", () =>
		commits.together(owner, async (tx) => {
			const written = { rows: 0 };
			const write = async () => {
				written.rows = await tx.execute(
					`update wallets.idempotent_answer set status = $4, body = $5
					where profile_id = $1 and route = $2 and key = $3 and status is null`,
					[...names, answered.status, answered.body],
				);
			};
			tx.beforeCommit(write, { singleStatement: true });
			return written;
		}),
	);
	if (kept.rows > 0) return answered;
	const rows = await db.query<Answered>(
		`select status, body from wallets.idempotent_answer
		where profile_id = $1 and route = $2 and key = $3`,
		names,
	);
	return rows[0] ?? answered;
}
