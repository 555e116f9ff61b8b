// Serves the routes of both streams: checks the query, and upgrades the connection.

import { Elysia } from "elysia";
import { z } from "zod";
import type { Chain, ChainRegistry } from "#core/chain/Chain.ts";
import { queryIssues } from "#core/http/issues.ts";
import { requestContexts } from "#core/http/requests.ts";
import { canBeReadByAnyPage } from "#core/http/routeMarks.ts";
import {
	collectionTopic,
	discoverTopic,
	type MarketIndex,
} from "#plugins/market-index/contract.ts";
import type { Streams } from "#plugins/streams/createStreams.ts";
import { describeStreams } from "#plugins/streams/describeStreams.ts";
import { streamFault } from "#plugins/streams/faults.ts";
import type {
	Admission,
	PublishingServer,
	ResumePoint,
	StreamSocket,
} from "#plugins/streams/model.ts";

export type StreamQuery = { chain: Chain | undefined; resume: ResumePoint | undefined };

export type StreamRoutesOptions = {
	streams: Streams;
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

/**
 * Makes the routes of both streams. A refused client gets a problem document instead of an upgrade.
 */
export function streamRoutes(options: StreamRoutesOptions) {
	const { market, chains, slugs, onServer } = options;
	// Not `beforeHandle`, which Elysia runs twice on an upgrade: `upgrade` runs once, and is awaited.
	const admissions = new WeakMap<Request, Admission>();
	const handlers = socketHandlers(options.streams, admissions);
	const indexed = { chains, slugs };

	return new Elysia({ name: "streams", prefix: "/v1/nft-market" })
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
 * Reads the query of a stream.
 *
 * Not as a schema of the route: on a WebSocket route Elysia only validates, and its issues would
 * not name an unknown chain.
 */
export function readStreamQuery(
	query: Readonly<Record<string, unknown>>,
	indexed: { chains: ChainRegistry; slugs: ReadonlySet<string> },
): StreamQuery {
	const parsed = querySchema.safeParse(query);
	if (!parsed.success) {
		const issues = queryIssues(querySchema, query);
		const first = issues[0];
		throw streamFault.queryInvalid({
			public: `The query is not valid.${first ? ` ${first.path}: ${first.message}` : ""}`,
			members: { issues },
		});
	}
	const { chain: name, after, epoch } = parsed.data;
	const resume = after === undefined ? undefined : { afterSeq: Number(after), epoch };
	if (name === undefined) return { chain: undefined, resume };
	const chain = indexed.chains.bySlug(name);
	if (!chain || !indexed.slugs.has(chain.slug)) {
		const message = `must be one of ${[...indexed.slugs].join(", ")}`;
		throw streamFault.chainUnknown({ members: { issues: [{ path: "chain", message }] } });
	}
	return { chain, resume };
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
