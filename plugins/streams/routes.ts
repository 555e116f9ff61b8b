import { Elysia } from "elysia";
import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import { requestContexts } from "#core/http/requestContexts.ts";
import {
	collectionTopic,
	discoverTopic,
	type MarketIndex,
} from "#plugins/market-index/contract.ts";
import type { PublishingServer } from "#plugins/streams/createPublisher.ts";
import type { Admission } from "#plugins/streams/createSession.ts";
import type { Streams } from "#plugins/streams/createStreams.ts";
import { describeStreams } from "#plugins/streams/describeStreams.ts";
import { streamFault } from "#plugins/streams/faults.ts";
import { readStreamQuery } from "#plugins/streams/readStreamQuery.ts";
import type { StreamSocket } from "#plugins/streams/StreamSocket.ts";

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
			detail: { hide: true, ...describeStreams.collection },
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
			detail: { hide: true, ...describeStreams.discover },
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
 * Returns the client: the gate knows it behind our proxies; an app without the gate knows the
 * socket only.
 */
function clientOf(request: Request) {
	return { client: requestContexts.get(request)?.clientAddress };
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

/** Elysia's copy of Bun's types lacks the method by which slow readers are found. */
function isStreamSocket(raw: object): raw is StreamSocket {
	return "getBufferedAmount" in raw;
}
