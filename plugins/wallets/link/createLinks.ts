// Makes and keeps one-time links, which ask an intent's owner.

import { createHash, randomBytes } from "node:crypto";
import { bytesToHex, hexToBytes } from "viem";
import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock.ts";
import type { Database, Queryable, Tx } from "#core/db/Database.ts";
import { defineFaults } from "#core/fault.ts";
import type { OriginPolicy } from "#core/http/createOriginPolicy.ts";
import type { Job } from "#core/schedule.ts";
import type { Steps } from "#core/steps.ts";
import { type CancelTerms, cancelTerms } from "#plugins/wallets/cancel/planCancellation.ts";
import type { ExecutionDeps, StepName } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/prepareIntent.ts";
import { readBatch } from "#plugins/wallets/intent/intentRow.ts";
import { QUESTION_LIFETIME_MS } from "#plugins/wallets/limits.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { hashBatch } from "#plugins/wallets/plan.ts";
import type { Authenticate } from "#plugins/wallets/session/createAuthenticate.ts";
import type { Execution } from "#plugins/wallets/Wallets.ts";

/** Holds what the routes behind one-time links need. */
export type LinkContext = {
	deps: ExecutionDeps;
	links: Links;
	execution: Execution;
	authenticate: Authenticate;
	chainOf(chainId: number): Chain | null;
	/** Decides pages of which origins may answer links: ours, and those that the operator lists. */
	origins: Pick<OriginPolicy, "trusts">;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

export type LinkPurpose = "confirm" | "sign" | "cancel";

export type OpenLink = {
	intentId: string;
	purpose: LinkPurpose;
	/** The hash of the plan, or of the terms of a cancellation. */
	planHash: Hex;
	/** The cancellation that a link asks to be signed; null for all other links. */
	terms: CancelTerms | null;
	expiresAtMs: number;
};

export type MadeLink = { url: string; expiresAtMs: number };

export type LinksDeps = {
	db: Database;
	clock: Clock;
	steps: Steps<StepName>;
	/** The URL at which browsers reach the service, without a slash at its end. */
	publicUrl: string;
};

export type Links = ReturnType<typeof createLinks>;

/** Parses the token of a one-time link from the path. */
export const tokenParams = z.object({
	token: z.string().meta({
		description: "The last part of the link's address.",
		examples: ["x7Zk2pQ9bT4mVr1LcYw8HsN3dGf6JuKe0AoRiMtXqB5"],
	}),
});

/**
 * Names what can be wrong with a one-time link. Used, expired and unknown ones all get `not_found`.
 */
export const linkFault = defineFaults({
	notFound: {
		status: 404,
		retry: "never",
		public: "This link was used, has run out, or never was one.",
		advice: "Ask for a new link with `POST /v1/links`, or read the intent.",
	},
	linksTooMany: {
		status: 409,
		retry: "later",
		public: "There are too many links to that intent already. Use the newest, or wait.",
		advice: "Use the newest link, or wait until older ones have run out.",
	},
	noQuestion: {
		status: 409,
		retry: "never",
		public:
			"The intent waits for no answer of yours. What your own wallet sent is cancelled by a link with " +
			"the purpose cancel.",
		advice: "Read the intent: it stands where nothing is asked of you.",
	},
});

/** Random bytes of a link's token. */
export const LINK_TOKEN_BYTES = 32;
/** Links that one question can have: each is another way in. */
export const LINKS_PER_INTENT_MAX = 20;
/**
 * Accepts a reported hash for this long after the link expired: the wallet may send in time and
 * report late. The link shows nothing new by then.
 */
export const SIGNED_GRACE_MS = 900_000;
/** Limits the time for continuing an intent while the owner waits for the answer. */
export const CONFIRM_TIMEOUT_MS = 25_000;
/** The connection stays open for longer than that. */
export const CONFIRM_IDLE_SECONDS = 60;
/**
 * Says how long links are kept after they expired, how often old ones are deleted, and how many at
 * once.
 */
export const LINKS_KEPT_MS = 86_400_000;
export const LINK_PRUNE_EVERY_MS = 60_000;
export const LINK_PRUNE_TIMEOUT_MS = 20_000;
export const LINK_PRUNE_ROWS_MAX = 10_000;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * Makes one-time links. Whoever has one may see the plan, and approve it once: it is bound to the
 * plan's hash, so a changed plan is not approved by it. The database has only the hash of its
 * token.
 *
 * One approval confirms a batch: a link to one of its intents is bound to the plans of all of them.
 */
export function createLinks(deps: LinksDeps) {
	return {
		make: (intent: Intent, purpose: Exclude<LinkPurpose, "cancel">) => make(deps, intent, purpose),
		/**
		 * Asks its owner: by a one-time link, or where a program asked for it (channel `agent`, which
		 * is MCP too) by an address without a secret. There its owner is signed in, and gets a
		 * link; the program that has the address gets no further.
		 */
		async askOwner(intent: Intent, purpose: Exclude<LinkPurpose, "cancel">): Promise<MadeLink> {
			if (intent.channel !== "agent") return await make(deps, intent, purpose);
			return { url: `${deps.publicUrl}/links/${intent.id}`, expiresAtMs: intent.expiresAtMs };
		},
		/**
		 * Makes a link to cancel what its owner's wallet sent, bound to exactly these terms. How long
		 * the payment was allowed to wait before it was sent does not bound it: it was sent.
		 */
		async makeCancel(terms: CancelTerms): Promise<MadeLink> {
			const { intentId } = terms;
			const planHash = cancelTerms.hash(terms);
			const untilMs = Number.POSITIVE_INFINITY;
			return await issue(deps, { intentId, purpose: "cancel", planHash, terms, untilMs });
		},
		/** Returns an open link. Throws `not_found` for used, expired and unknown ones. */
		async look(token: string): Promise<OpenLink> {
			return open(deps, deps.db, { token, graceMs: 0 });
		},
		/** Says what a link is or was about. Null: it never was one, or is long gone. */
		async recall(token: string): Promise<Pick<OpenLink, "intentId" | "purpose"> | null> {
			if (!TOKEN.test(token)) return null;
			const [row] = await deps.db.query<{ intent_id: string; purpose: LinkPurpose }>(
				"select intent_id, purpose from wallets.link where token_hash = $1",
				[hashOf(token)],
			);
			return row ? { intentId: row.intent_id, purpose: row.purpose } : null;
		},
		/**
		 * Uses a link up, in the transaction of the action that it allows. A link to sign or to cancel
		 * can be used a while after it expired: it reports what was sent in time.
		 */
		async use(tx: Tx, token: string): Promise<OpenLink> {
			const link = await open(deps, tx, { token, graceMs: SIGNED_GRACE_MS });
			const used = await tx.execute(
				"update wallets.link set used_at = $2 where token_hash = $1 and used_at is null",
				[hashOf(token), new Date(deps.clock.nowMs())],
			);
			if (used === 0) throw linkFault.notFound();
			return link;
		},
	};
}

/** Shows a chain to a person, also where it is not defined any more. */
export function chainShown(
	chainOf: LinkContext["chainOf"],
	chainId: number,
): { id: number; slug: string; name: string } {
	const chain = chainOf(chainId);
	return {
		id: chainId,
		slug: chain?.slug ?? String(chainId),
		name: chain?.name ?? `chain ${chainId}`,
	};
}

/** Makes a link for each intent that waits for its owner; a batch to be confirmed has one. */
export async function askAgain(
	links: Pick<Links, "make">,
	intents: readonly Intent[],
): Promise<Map<string, { url: string; expiresAtMs: number }>> {
	const asked = new Map<string, { url: string; expiresAtMs: number }>();
	const ofBatch = new Map<string, { url: string; expiresAtMs: number }>();
	for (const intent of intents) {
		if (intent.status === "signature_required") {
			asked.set(intent.id, await links.make(intent, "sign"));
		} else if (intent.status === "confirmation_required") {
			const batch = intent.batchId ?? intent.id;
			const link = ofBatch.get(batch) ?? (await links.make(intent, "confirm"));
			ofBatch.set(batch, link);
			asked.set(intent.id, link);
		}
	}
	return asked;
}

/** Deletes links long past their time: what they were used for is in their intents' moves. */
export function pruneLinksJob({ db }: { db: Database }): Job {
	return {
		name: "wallets.pruneLinks",
		schedule: { everyMs: LINK_PRUNE_EVERY_MS },
		lock: "cluster",
		timeoutMs: LINK_PRUNE_TIMEOUT_MS,
		async run() {
			// By `link_expiry`.
			await db.execute(
				`delete from wallets.link where token_hash in (
					select token_hash from wallets.link
					where expires_at <= now() - $1 * interval '1 millisecond'
					order by expires_at limit $2
				)`,
				[LINKS_KEPT_MS, LINK_PRUNE_ROWS_MAX],
			);
		},
	};
}

async function make(
	deps: LinksDeps,
	intent: Intent,
	purpose: Exclude<LinkPurpose, "cancel">,
): Promise<MadeLink> {
	const asked = purpose === "confirm" ? await readBatch(deps.db, intent) : [intent];
	const planHash = hashBatch(asked);
	if (planHash === null) throw executionFault.intentState();
	const untilMs = Math.min(...asked.map((one) => one.expiresAtMs));
	return await issue(deps, { intentId: intent.id, purpose, planHash, terms: null, untilMs });
}

/** Makes a token, and its link: good for ten minutes, and never past a time. */
async function issue(
	deps: LinksDeps,
	{ untilMs, ...about }: Omit<OpenLink, "expiresAtMs"> & { untilMs: number },
): Promise<MadeLink> {
	const token = randomBytes(LINK_TOKEN_BYTES).toString("base64url");
	const nowMs = deps.clock.nowMs();
	const expiresAtMs = Math.min(nowMs + QUESTION_LIFETIME_MS, untilMs);
	const link = { ...about, token, nowMs, expiresAtMs };
	const made = await deps.steps.run("commit.link", () =>
		deps.db.transaction(async (tx) => {
			// One after the other: a count says nothing of what others are just inserting.
			const lock = "select 1 from wallets.intent where id = $1 for no key update";
			const [, inserted] = await Promise.all([tx.query(lock, [link.intentId]), insert(tx, link)]);
			return inserted;
		}),
	);
	if (made === 0) throw linkFault.linksTooMany();
	return { url: `${deps.publicUrl}/links/${token}`, expiresAtMs };
}

/** Counts along the index `link_intent`; 0 where the intent has as many links as it may have. */
function insert(db: Queryable, link: OpenLink & { token: string; nowMs: number }): Promise<number> {
	return db.execute(
		`insert into wallets.link
			(token_hash, intent_id, purpose, plan_hash, created_at, expires_at, terms)
		select $1::bytea, $2::uuid, $3::text, $4::bytea, $5::timestamptz, $6::timestamptz, $8::jsonb
		where (
			select count(*) from wallets.link where intent_id = $2 and expires_at > $5
		) < $7`,
		[
			hashOf(link.token),
			link.intentId,
			link.purpose,
			hexToBytes(link.planHash),
			new Date(link.nowMs),
			new Date(link.expiresAtMs),
			LINKS_PER_INTENT_MAX,
			link.terms && JSON.stringify(cancelTerms.write(link.terms)),
		],
	);
}

function hashOf(token: string): Uint8Array {
	return createHash("sha256").update(token).digest();
}

async function open(
	deps: LinksDeps,
	db: Queryable,
	{ token, graceMs }: { token: string; graceMs: number },
): Promise<OpenLink> {
	const nowMs = deps.clock.nowMs();
	const rows = TOKEN.test(token)
		? await db.query<{
				intent_id: string;
				purpose: LinkPurpose;
				plan_hash: Uint8Array;
				terms: unknown;
				expires_at: Date;
			}>(
				`select intent_id, purpose, plan_hash, terms, expires_at from wallets.link
				where token_hash = $1 and used_at is null and expires_at >
					case purpose when 'confirm' then $2::timestamptz else $3::timestamptz end`,
				[hashOf(token), new Date(nowMs), new Date(nowMs - graceMs)],
			)
		: [];
	const row = rows[0];
	if (!row) throw linkFault.notFound();
	return {
		intentId: row.intent_id,
		purpose: row.purpose,
		planHash: bytesToHex(row.plan_hash),
		terms: row.terms === null ? null : cancelTerms.read(row.terms),
		expiresAtMs: row.expires_at.getTime(),
	};
}
