// Starts the marketplace provider of the sandbox.

import { type Clock, systemClock } from "#core/clock.ts";
import { createRpc } from "../createRpc.ts";
import { type Calls, createCallLog } from "../emulatorFaults.ts";
import { revealSellers } from "../reveals/revealKinds.ts";
import { type Actor, createActors } from "../World.ts";
import { createSignatures } from "./book/fulfilment.ts";
import { createMetadataCache } from "./chain/readContract.ts";
import {
	createFaultList,
	type Fault,
	type RandomFaults,
	type RateLimits,
	raceBuyer,
} from "./faults.ts";
import { followChain } from "./market/followChain.ts";
import type { Market } from "./market/Market.ts";
import { renderPushes } from "./renderPush.ts";
import { createHandler } from "./rest/handler.ts";
import type { Office } from "./rest/Office.ts";
import { createStreamHub, type StreamData } from "./streamHub.ts";

export type EmulatorOptions = {
	rpcUrl: string;
	port?: number;
	seed?: number;
	/** Without it no key is needed, but an empty header is still refused. */
	apiKey?: string | undefined;
	/** The makers of the book's orders: those of them who approved Seaport or its conduit. */
	actors?: readonly Actor[];
	/** How often the chain's head is read; 0: only by `sync`. */
	pollMs?: number;
	rateLimits?: RateLimits;
	randomFaults?: RandomFaults;
	usdPerEther?: number;
	clock?: Clock;
	say?(line: string): void;
};

export type ProviderEmulator = {
	/** PROVIDER_BASE_URL */
	url: string;
	/** PROVIDER_STREAM_URL */
	streamUrl: string;
	fault(fault: Fault): void;
	clearFaults(): void;
	calls(): Calls;
	clearCalls(): void;
	/** Reads new blocks and feeds the stream; settles when done. */
	sync(): Promise<void>;
	market(): Market;
	stop(): Promise<void>;
};

const ACTORS = 40;
const POLL_MS = 500;
const USD_PER_ETHER = 2_500;
const HEARTBEAT_TIMEOUT_S = 60;
const FRAME_BYTES_MAX = 65_536;

/** Starts the marketplace provider of a sandbox chain: OpenSea's API and stream over its state. */
export function startProviderEmulator(options: EmulatorOptions): ProviderEmulator {
	const actors = options.actors ?? createActors(ACTORS);
	const rpc = createRpc(options.rpcUrl);
	const metadata = createMetadataCache(rpc);
	const chain = followChain({ rpc, seed: options.seed ?? 7, actors, metadata });
	const faults = createFaultList(options.randomFaults ?? null);
	const calls = createCallLog();
	const hub = createStreamHub(faults);
	const stopping = new AbortController();
	const office: Office = {
		market: chain.market,
		metadata,
		signatures: createSignatures([...actors, ...revealSellers]),
		publicUrl: "",
		usdPerEther: options.usdPerEther ?? USD_PER_ETHER,
	};
	let syncing: Promise<void> = Promise.resolve();
	function sync(): Promise<void> {
		syncing = syncing
			.catch(() => {})
			.then(async () => {
				for (const change of await chain.sync()) {
					if (hub.isIdle()) break;
					for (const push of await renderPushes(office, change)) hub.push(push);
				}
			});
		return syncing;
	}
	const caughtUp = sync();
	caughtUp.catch((cause) => options.say?.(`the provider cannot read the chain: ${cause}`));
	const handle = createHandler({
		office,
		race: (kind, orderHash) => {
			const { signatures } = office;
			return raceBuyer({ rpc, market: chain.market(), signatures }, { kind, orderHash });
		},
		faults,
		calls,
		clock: options.clock ?? systemClock,
		rateLimits: options.rateLimits ?? null,
		apiKey: options.apiKey ?? null,
		caughtUp: () => caughtUp.catch(() => {}),
		dropStream: hub.dropAll,
		stopped: stopping.signal,
	});
	const server = Bun.serve<StreamData>({
		hostname: "127.0.0.1",
		port: options.port ?? 0,
		idleTimeout: 0,
		fetch: (request, self) => handle(request, (data) => self.upgrade(request, { data })),
		websocket: {
			open: hub.open,
			message: (socket, text) => hub.message(socket, String(text)),
			close: hub.close,
			idleTimeout: HEARTBEAT_TIMEOUT_S,
			// Clients prove that they are alive by their own heartbeats.
			sendPings: false,
			maxPayloadLength: FRAME_BYTES_MAX,
		},
	});
	office.publicUrl = `http://127.0.0.1:${server.port}`;
	const pollMs = options.pollMs ?? POLL_MS;
	const poll = pollMs > 0 ? setInterval(() => void sync().catch(() => {}), pollMs) : undefined;
	return {
		url: office.publicUrl,
		streamUrl: `ws://127.0.0.1:${server.port}/socket/websocket`,
		fault(fault) {
			faults.add(fault);
			if (fault.kind === "drop_stream") hub.dropAll();
		},
		clearFaults: faults.clear,
		calls: calls.read,
		clearCalls: calls.clear,
		sync,
		market: chain.market,
		async stop() {
			clearInterval(poll);
			stopping.abort();
			await syncing.catch(() => {});
			await server.stop(true);
		},
	};
}
