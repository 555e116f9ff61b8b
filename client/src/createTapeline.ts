// Makes a typed client of a Tapeline service: REST, sign-in, and streams that resume.

import createClient, { type Client } from "openapi-fetch";
import type { CollectionStreamFrame, DiscoverStreamFrame, IntentsStreamFrame } from "./frames.ts";
import { openStream, type StreamHandlers, type TapelineStream } from "./openStream.ts";
import type { components, paths } from "./schema.ts";
import { siweMessage } from "./siweMessage.ts";

export type { CollectionStreamFrame, DiscoverStreamFrame, IntentsStreamFrame } from "./frames.ts";
export type { StreamHandlers, StreamPosition, TapelineStream } from "./openStream.ts";
export type { components, paths } from "./schema.ts";

/** The named types of the service: `Schemas["Collection"]`, `Schemas["IntentCode"]`. */
export type Schemas = components["schemas"];

export type SignedIn = Schemas["SignedIn"];

export type TapelineOptions = {
	/** The service, such as `http://127.0.0.1:4000`. */
	url: string;
	/** The token of a session, where one is at hand. */
	token?: string;
	fetch?: typeof fetch;
	/** For streams; the platform's own unless given. */
	WebSocket?: typeof WebSocket;
};

/** Asks a wallet for a signature of a text (`personal_sign`). */
export type SignMessage = (text: string) => Promise<string>;

export type Tapeline = {
	/** Calls routes by method and path: `api.GET("/v1/nft-market/trending")`. Throws nothing. */
	api: Client<paths>;
	/** Signs in with a wallet (ERC-4361), and sends the session with each later call. */
	signIn(wallet: { address: string; signMessage: SignMessage }): Promise<SignedIn>;
	/** Signs in with the wallet provider's access token. */
	enroll(accessToken: string): Promise<SignedIn>;
	/** Uses a session's token for later calls; null: none. */
	setToken(token: string | null): void;
	/** Follows one collection, by slug or contract. */
	collection(
		slug: string,
		handlers: StreamHandlers<CollectionStreamFrame> & { chain?: string },
	): TapelineStream;
	/** Follows what moves on one chain: numbers of frames are of one chain. */
	discover(chain: string, handlers: StreamHandlers<DiscoverStreamFrame>): TapelineStream;
	/** Follows all that the person who is signed in asked for. */
	intents(handlers: StreamHandlers<IntentsStreamFrame>): TapelineStream;
};

/** Says why something did not work that throws: `problem` is the service's answer. */
export class TapelineError extends Error {
	override readonly name = "TapelineError";
	readonly problem: Schemas["Problem"] | undefined;

	constructor(problem: Schemas["Problem"] | undefined, otherwise: string) {
		super(problem?.message ?? otherwise);
		this.problem = problem;
	}
}

/**
 * Makes a client. Each call of a POST by a signed-in person carries an `idempotency-key`: name your
 * own (`params.header`), and send the same one again where no answer came.
 *
 * @example
 * const tapeline = createTapeline({ url: "http://127.0.0.1:4000" });
 * const { data, error } = await tapeline.api.GET("/v1/nft-market/trending");
 */
export function createTapeline(options: TapelineOptions): Tapeline {
	const { url, fetch: fetchIt } = options;
	let token = options.token ?? null;
	const api = createClient<paths>({ baseUrl: url, ...(fetchIt && { fetch: fetchIt }) });
	api.use({
		onRequest({ request }) {
			if (token === null || request.headers.has("authorization")) return undefined;
			request.headers.set("authorization", `Bearer ${token}`);
			if (request.method === "POST" && !request.headers.has("idempotency-key")) {
				request.headers.set("idempotency-key", crypto.randomUUID());
			}
			return request;
		},
	});
	const keep = ({ data, error }: { data?: SignedIn; error?: unknown }): SignedIn => {
		if (!data) throw new TapelineError(problemOf(error), "The service did not sign in.");
		token = data.token;
		return data;
	};
	return {
		api,
		async signIn({ address, signMessage }) {
			const { data: challenge, error } = await api.POST("/v1/trading/siwe/nonce");
			if (!challenge) throw new TapelineError(problemOf(error), "There is no nonce.");
			const message = siweMessage({ address, challenge });
			const signature = await signMessage(message);
			return keep(await api.POST("/v1/trading/siwe/verify", { body: { message, signature } }));
		},
		async enroll(accessToken) {
			const headers = { authorization: `Bearer ${accessToken}` };
			return keep(await api.POST("/v1/trading/enrollment", { headers }));
		},
		setToken(given) {
			token = given;
		},
		collection(slug, { chain, ...handlers }) {
			const path = `/v1/nft-market/collections/${encodeURIComponent(slug)}/stream`;
			return openStream(
				{ ...options, path, query: chain === undefined ? {} : { chain } },
				handlers,
			);
		},
		discover(chain, handlers) {
			const path = "/v1/nft-market/discover/stream";
			return openStream({ ...options, path, query: { chain } }, handlers);
		},
		intents(handlers) {
			const ticket = async () => {
				const { data, error } = await api.POST("/v1/intents/stream-tickets");
				if (!data) throw new TapelineError(problemOf(error), "There is no ticket.");
				return data.ticket;
			};
			return openStream({ ...options, path: "/v1/intents/stream", query: {}, ticket }, handlers);
		},
	};
}

function problemOf(error: unknown): Schemas["Problem"] | undefined {
	const isProblem = typeof error === "object" && error !== null && "code" in error;
	return isProblem ? (error as Schemas["Problem"]) : undefined;
}
