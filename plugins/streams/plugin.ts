import { join } from "node:path";
import { z } from "zod";
import { FRAMES_CHANNEL } from "#core/outbox.ts";
import { definePlugin } from "#core/plugin/Plugin.ts";
import { sleep } from "#core/time.ts";
import { MarketIndexKey } from "#plugins/market-index/contract.ts";
import { closeCodes } from "#plugins/streams/createSession.ts";
import {
	createPublisher,
	createStreams,
	runStreams,
	type Streams,
	streamMetrics,
} from "#plugins/streams/createStreams.ts";
import { createTailer } from "#plugins/streams/createTailer.ts";
import {
	COLLECT_MS,
	CONNECTIONS_PER_CLIENT_DEFAULT,
	PUBLISH_TURN_MS,
	TAIL_SILENCE_MAX_MS,
} from "#plugins/streams/limits.ts";
import type { PublishingServer } from "#plugins/streams/model.ts";
import { streamRoutes } from "#plugins/streams/routes.ts";

const config = z.object({
	STREAM_CONNECTIONS_PER_CLIENT_MAX: z.coerce
		.number()
		.int()
		.min(1)
		.max(100_000)
		.default(CONNECTIONS_PER_CLIENT_DEFAULT)
		.describe("Streams that one client address may hold open. More are closed with code 4029."),
});

/** The routes of this plugin, for typed clients. */
export type StreamsApi = ReturnType<typeof streamRoutes>;

/** Pushes committed frames of the log to all connected clients. */
export const streamsPlugin = definePlugin({
	name: "streams",
	version: "1",
	config,
	needs: { market: MarketIndexKey },
	tables: { schema: "streams", folder: join(import.meta.dir, "migrations") },
	setup({ config, needs, core, collected }) {
		const { clock, log, outbox } = core;
		const metrics = streamMetrics(core.metrics);
		let server: PublishingServer | undefined;
		const publisher = createPublisher({
			server: () => server,
			nextTurn: () => sleep(PUBLISH_TURN_MS),
			onTurnFull: () => streams.checkUnsent({ look: false }),
		});
		const tailer = createTailer({
			outbox,
			publisher,
			clock,
			log,
			async collect() {
				// Sockets are written between two turns of the event loop: the time counts from then.
				await sleep(0);
				await sleep(COLLECT_MS);
			},
			onPublished: metrics.published,
			onRenumbered: () => streams.closeAll(closeCodes.restart, "numbering changed"),
		});
		const streams: Streams = createStreams({
			tailer,
			outbox,
			clock,
			log,
			metrics,
			connectionsPerClientMax: config.STREAM_CONNECTIONS_PER_CLIENT_MAX,
		});
		const runner = runStreams({ tailer, streams, clock, log });
		let stopListening = () => {};
		return {
			routes: streamRoutes({
				...{ streams, db: core.db, clock },
				callerOf: (...asked) => collected().callerOf(...asked),
				market: needs.market,
				chains: core.chains,
				slugs: new Set(core.indexed.map(({ chain }) => chain.slug)),
				onServer: (started) => {
					server = started;
				},
			}),
			start() {
				stopListening = core.bus.subscribe(FRAMES_CHANNEL, tailer.hint);
				runner.start();
			},
			async stop() {
				streams.refuse();
				streams.closeAll(closeCodes.restart, "restarting");
				stopListening();
				await runner.stop();
			},
			health: async () =>
				runner.silentMs() > TAIL_SILENCE_MAX_MS ? "the log of frames cannot be read" : null,
		};
	},
});
