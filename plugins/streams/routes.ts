// Serves the routes of all streams and of their tickets: checks the query, and upgrades.

import { createHash, randomBytes } from "node:crypto";
import { Elysia } from "elysia";
import { z } from "zod";
import type { Chain, ChainRegistry } from "#core/chain/Chain.ts";
import type { Clock } from "#core/clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import { httpFault } from "#core/http/faults.ts";
import { queryIssues } from "#core/http/issues.ts";
import { field } from "#core/http/openapi/schema.ts";
import { requestContexts } from "#core/http/requests.ts";
import { canBeReadByAnyPage, canFail } from "#core/http/routeMarks.ts";
import type { CallerOf } from "#core/plugin/Plugin.ts";
import {
	collectionTopic,
	discoverTopic,
	type MarketIndex,
} from "#plugins/market-index/contract.ts";
import type { Streams } from "#plugins/streams/createStreams.ts";
import { describeStreams } from "#plugins/streams/describeStreams.ts";
import { streamFault } from "#plugins/streams/faults.ts";
import {
	SESSION_ASKED_EVERY_MS,
	TICKET_LIFETIME_MS,
	TICKET_STREAM_MS,
} from "#plugins/streams/limits.ts";
import type {
	Admission,
	Grant,
	PublishingServer,
	ResumePoint,
	StreamSocket,
} from "#plugins/streams/model.ts";
import { ownIntentsTopic } from "#plugins/wallets/contract.ts";

export type StreamQuery = { chain: Chain | undefined; resume: ResumePoint | undefined };

export type StreamRoutesOptions = {
	streams: Streams;
	db: Queryable;
	clock: Clock;
	/** Returns whose a request is; null without credentials. Throws where they are wrong. */
	callerOf: CallerOf;
	market: Pick<MarketIndex, "find" | "touch">;
	chains: ChainRegistry;
	/** Slugs of the indexed chains, in the deployment's order. */
	slugs: ReadonlySet<string>;
	/** Called with the server, which is known from its first upgrade on. */
	onServer: (server: PublishingServer) => void;
};

/** The part of Elysia's socket that streams use. */
type ElysiaSocket = { raw: object; remoteAddress: string; data: { request: Request } };

/** 15 digits stay below 2^53, so a sequence number is exact as a number. */
const SEQ = /^\d{1,15}$/;
const EPOCH = /^[0-9A-Za-z-]{1,64}$/;
const CHAIN = /^[0-9A-Za-z_-]{1,64}$/;

const querySchema = z.strictObject({
	chain: z.string().regex(CHAIN, "is not the name of a chain").optional(),
	after: z.string().regex(SEQ, "must be a whole number, as in a frame's `seq`").optional(),
	epoch: z.string().regex(EPOCH, "must be the `epoch` of a hello frame").optional(),
});

const ownQuerySchema = querySchema.omit({ chain: true });

const TICKET = /^svct_[A-Za-z0-9_-]{43}$/;

const ticketMessage = z.object({ type: z.literal("ticket"), ticket: z.string().regex(TICKET) });

const ticketSchema = z
	.object({
		ticket: field.text("Opens one stream, as its first message.", `svct_${"k".repeat(43)}`),
		expiresAt: field.time("Until when it does."),
	})
	.meta({ id: "StreamTicket", description: "A one-time ticket for the stream of your intents." });

/**
 * Makes the routes of all streams. A refused client gets a problem document instead of an upgrade.
 */
export function streamRoutes(options: StreamRoutesOptions) {
	// Not `beforeHandle`, which Elysia runs twice on an upgrade: `upgrade` runs once, and is awaited.
	const admissions = new WeakMap<Request, Admission>();
	const handlers = socketHandlers(options.streams, admissions);
	return new Elysia({ name: "streams" })
		.use(marketStreams(options, { admissions, handlers }))
		.use(ownStream(options, { admissions, handlers }));
}

type Sockets = {
	admissions: WeakMap<Request, Admission>;
	handlers: ReturnType<typeof socketHandlers>;
};

function marketStreams(options: StreamRoutesOptions, { admissions, handlers }: Sockets) {
	const { market, chains, slugs, onServer } = options;
	const indexed = { chains, slugs };
	return new Elysia({ prefix: "/v1/nft-market" })
		.ws("/collections/:slug/stream", {
			...handlers,
			detail: { hide: true, ...canBeReadByAnyPage(), ...describeStreams.collection },
			async upgrade({ request, params, query, server }) {
				const { chain, resume } = readStreamQuery(query, indexed);
				const found = await market.find(params.slug ?? "", chain?.slug);
				const topics = [collectionTopic(found.chain, found.address)];
				const watch = () => market.touch(found.id, "stream");
				watch();
				const client = clientOf(request);
				admissions.set(request, { stream: "collection", topics, resume, watch, ...client });
				if (server) onServer(server);
			},
		})
		.ws("/discover/stream", {
			...handlers,
			detail: { hide: true, ...canBeReadByAnyPage(), ...describeStreams.discover },
			upgrade({ request, query, server }) {
				const { chain, resume } = readStreamQuery(query, indexed);
				const names = chain ? [chain.slug] : [...slugs];
				if (resume && names.length !== 1) throw streamFault.resumeNeedsChain();
				const topics = names.map((name) => discoverTopic(name));
				admissions.set(request, { stream: "discover", topics, resume, ...clientOf(request) });
				if (server) onServer(server);
			},
		});
}

/**
 * Serves the stream of what its client asked for: to the session of a page of an allowed origin, to
 * a bearer token, or to a ticket in its first message. Nothing that opens it is in a URL, which
 * proxies and histories keep. A cookie without an Origin is ignored: no browser sends it so.
 */
function ownStream(options: StreamRoutesOptions, { admissions, handlers }: Sockets) {
	const { db, clock, callerOf, onServer } = options;
	return new Elysia({ prefix: "/v1/intents" })
		.ws("/stream", {
			...handlers,
			detail: { hide: true, ...describeStreams.intents },
			async upgrade({ request, query, server }) {
				const { after, epoch } = parsedQuery(ownQuerySchema, query);
				const resume = after === undefined ? undefined : { afterSeq: Number(after), epoch };
				const { headers } = request;
				const isNamed = headers.has("authorization") || headers.has("origin");
				const profileId = isNamed ? await callerOf(request) : null;
				const common = { stream: "intents", resume, ...clientOf(request) } as const;
				admissions.set(
					request,
					profileId === null
						? { ...common, topics: [], admit: (message) => admitted({ db, clock }, message) }
						: {
								...common,
								topics: [ownIntentsTopic(profileId)],
								isAllowed: stillSignedIn(options, { request, profileId }),
							},
				);
				if (server) onServer(server);
			},
		})
		.post(
			"/stream-tickets",
			async ({ request, set }) => {
				const profileId = await callerOf(request);
				if (profileId === null) throw httpFault.unauthorized();
				set.status = 201;
				set.headers["cache-control"] = "no-store";
				return makeTicket({ db, clock }, profileId);
			},
			{
				response: { 201: ticketSchema },
				detail: {
					operationId: "createStreamTicket",
					tags: ["trading"],
					summary: "Makes a ticket for the stream of your intents",
					description:
						"For a client that cannot send its session when it connects: it opens " +
						"`/v1/intents/stream` and sends the ticket as its first message, within a minute. A " +
						"ticket opens one stream, for a quarter of an hour; resume with the next one.",
					security: [{ session: [] }],
					...canFail(httpFault.unauthorized),
				},
			},
		);
}

/** Stores the hash of a new ticket; forgets those that nobody can use or ask about any more. */
async function makeTicket({ db, clock }: Pick<StreamRoutesOptions, "db" | "clock">, owner: string) {
	const ticket = `svct_${randomBytes(32).toString("base64url")}`;
	const expiresAt = new Date(clock.nowMs() + TICKET_LIFETIME_MS);
	await db.execute(
		`with gone as (
			delete from streams.ticket where made_at < now() - interval '10 minutes'
		)
		insert into streams.ticket (hash, profile_id, expires_at) values ($1, $2, $3)`,
		[hashOf(ticket), owner, expiresAt],
	);
	return { ticket, expiresAt: expiresAt.toISOString() };
}

/** Uses the ticket in a client's first message up; throws why it opens nothing. */
async function admitted(
	{ db, clock }: Pick<StreamRoutesOptions, "db" | "clock">,
	message: unknown,
): Promise<Grant> {
	const sent = ticketMessage.safeParse(message);
	if (!sent.success) throw streamFault.ticketMissing();
	const hash = hashOf(sent.data.ticket);
	const openedAtMs = clock.nowMs();
	const [taken] = await db.query<{ profileId: string }>(
		`update streams.ticket set used_at = $2
		where hash = $1 and used_at is null and expires_at > $2 returning profile_id as "profileId"`,
		[hash, new Date(openedAtMs)],
	);
	if (taken) {
		const isAllowed = async () => clock.nowMs() < openedAtMs + TICKET_STREAM_MS;
		return { topics: [ownIntentsTopic(taken.profileId)], isAllowed };
	}
	const [known] = await db.query<{ isUsed: boolean }>(
		`select used_at is not null as "isUsed" from streams.ticket where hash = $1`,
		[hash],
	);
	if (!known) throw streamFault.ticketUnknown();
	throw known.isUsed ? streamFault.ticketUsed() : streamFault.ticketExpired();
}

function hashOf(ticket: string): Buffer {
	return createHash("sha256").update(ticket).digest();
}

/**
 * Returns what asks, once a minute at most, whether the session that opened a stream still lasts.
 * Asking does not make it last longer: a forgotten page must not stay signed in.
 */
function stillSignedIn(
	{ clock, callerOf }: StreamRoutesOptions,
	{ request, profileId }: { request: Request; profileId: string },
): () => Promise<boolean> {
	const credentials = new Request(request.url, { headers: request.headers });
	let askedAtMs = clock.nowMs();
	return async () => {
		if (clock.nowMs() - askedAtMs < SESSION_ASKED_EVERY_MS) return true;
		askedAtMs = clock.nowMs();
		try {
			return (await callerOf(credentials, { isUse: false })) === profileId;
		} catch (error) {
			if (error instanceof Fault && error.code === "unauthorized") return false;
			throw error;
		}
	};
}

/**
 * Reads the query of a stream.
 *
 * Not as a schema of the route: on a WebSocket route Elysia only validates, and its issues would
 * not name an unknown chain.
 */
export function readStreamQuery(
	query: Readonly<Record<string, unknown>>,
	indexed: { chains: ChainRegistry; slugs: ReadonlySet<string> },
): StreamQuery {
	const { chain: name, after, epoch } = parsedQuery(querySchema, query);
	const resume = after === undefined ? undefined : { afterSeq: Number(after), epoch };
	if (name === undefined) return { chain: undefined, resume };
	const chain = indexed.chains.bySlug(name);
	if (!chain || !indexed.slugs.has(chain.slug)) {
		const message = `must be one of ${[...indexed.slugs].join(", ")}`;
		throw streamFault.chainUnknown({ members: { issues: [{ path: "chain", message }] } });
	}
	return { chain, resume };
}

function parsedQuery<Schema extends z.ZodObject>(
	schema: Schema,
	query: Readonly<Record<string, unknown>>,
): z.output<Schema> {
	const parsed = schema.safeParse(query);
	if (parsed.success) return parsed.data;
	const issues = queryIssues(schema, query);
	const first = issues[0];
	throw streamFault.queryInvalid({
		public: `The query is not valid.${first ? ` ${first.path}: ${first.message}` : ""}`,
		members: { issues },
	});
}

function socketHandlers(streams: Streams, admissions: WeakMap<Request, Admission>) {
	return {
		open({ raw, data, remoteAddress }: ElysiaSocket): void {
			const admission = admissions.get(data.request);
			if (!admission || !isStreamSocket(raw)) return;
			streams.open(raw, { ...admission, client: admission.client ?? remoteAddress });
		},
		message({ raw }: ElysiaSocket, message: unknown): void {
			if (isStreamSocket(raw)) streams.message(raw, message);
		},
		drain({ raw }: ElysiaSocket): void {
			if (isStreamSocket(raw)) streams.drain(raw);
		},
		// Elysia 1.4.30 passes Bun's own socket to this handler, whatever its types say.
		pong(raw: object): void {
			if (isStreamSocket(raw)) streams.pong(raw);
		},
		close({ raw }: ElysiaSocket, code: number): void {
			if (isStreamSocket(raw)) streams.closed(raw, code);
		},
	};
}

/** Says whether a socket has the method by which slow readers are found: Elysia's types lack it. */
function isStreamSocket(raw: object): raw is StreamSocket {
	return "getBufferedAmount" in raw;
}

/**
 * Returns the client: the gate knows it behind our proxies; an app without the gate knows the
 * socket only.
 */
function clientOf(request: Request) {
	return { client: requestContexts.get(request)?.clientAddress };
}
