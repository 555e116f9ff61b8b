// Describes all streams and their frames for the AsyncAPI document.

import { z } from "zod";
import { canStream, type DescribedMessage } from "#core/http/asyncApi.ts";
import { field } from "#core/http/openapi/schema.ts";
import { marketFrames } from "#plugins/market-index/contract.ts";
import { FRAMES_MISSED_MAX, INBOUND_MESSAGES_MAX } from "#plugins/streams/limits.ts";
import { ownIntentSchema } from "#plugins/wallets/contract.ts";

/** Maps each type of frame to the schema of its data. */
const frames = { ...marketFrames, intent: ownIntentSchema };

const topic = field.text(
	"What the frame is about: a collection, or the discover list of a chain.",
	"collection:ethereum:0x1f9840a85d5af5bf1d1762f925bdaddc4201f984",
);
const at = field.time("When it was committed, or when the server made it.");
const nothing = z
	.object({})
	.meta({ id: "NoData", description: "Empty: the frame says all by its type and number." });

const helloData = z
	.object({
		resumed: field.flag("Whether missed frames follow, as was asked for by `after`."),
		head: field.integer("The newest number of the topic.", 4_710),
		pingIntervalMs: field.integer("How often a `ping` comes, in milliseconds.", 15_000),
	})
	.meta({ id: "HelloData", description: "How a stream begins." });
const snapshotData = z
	.object({
		reason: z
			.enum([
				"epoch_changed",
				"seq_unknown",
				"too_old",
				"too_many_missed",
				"frames_lost",
				"too_many_mints",
				"too_many_orders",
				"catching_up",
				"reorg",
			])
			.meta({
				description:
					"Why: the numbers are of another database; unknown here; older than an hour; more than " +
					`${FRAMES_MISSED_MAX}; lost. Or more happened at once than is told one by one.`,
			}),
	})
	.meta({ id: "SnapshotData", description: "Why the state has to be read anew." });
const errorData = z
	.object({
		code: field.text("What is wrong. Stable.", "unsupported_message"),
		message: field.text("The same as a sentence.", 'Streams only take {"type":"ping"}.'),
	})
	.meta({ id: "StreamErrorData", description: "Why a message of the client was not understood." });

const own: Record<string, DescribedMessage> = {
	hello: {
		summary: "The first frame: frames follow from `seq + 1`.",
		schema: control("hello", {
			id: "HelloFrame",
			seq: "What this client has: its `after` where it resumes, else the topic's newest number.",
			data: helloData,
			more: {
				epoch: field.text("Whose numbers these are; send it back with `after`.", "k3Vq8sPz-1-2"),
			},
		}),
	},
	ping: {
		summary: "Everything up to `seq` has been sent. Every 15 s.",
		schema: control("ping", {
			id: "PingFrame",
			seq: "The topic's newest number.",
			data: nothing,
		}),
	},
	snapshot_required: {
		summary: "Read the state over HTTP; frames follow from `seq + 1`.",
		schema: control("snapshot_required", {
			id: "SnapshotFrame",
			seq: "The number from which on the state has to be read.",
			data: snapshotData,
		}),
	},
	pong: {
		summary: "The answer to a client's `ping`.",
		schema: control("pong", { id: "PongFrame", seq: "The topic's newest number.", data: nothing }),
	},
	error: {
		summary: "The client sent something that is not understood.",
		schema: control("error", {
			id: "StreamErrorFrame",
			seq: "The topic's newest number.",
			data: errorData,
		}),
	},
};

const receives: Record<string, DescribedMessage> = {
	clientPing: {
		summary: `Asks for a \`pong\`. At most ${INBOUND_MESSAGES_MAX} messages in 10 s.`,
		schema: z
			.object({ type: z.literal("ping").meta({ description: "The only thing streams take." }) })
			.meta({ id: "ClientPing", description: "The only message that streams take." }),
	},
};

const CLOSES =
	"Closes with 1008 after too many messages, 1012 where the process ends or its database was " +
	"restored (resume at once), 1013 where the log cannot be read (resume later), 4008 where the client " +
	"reads too slowly, 4010 where it answers no pings, 4029 where one address holds too many streams. " +
	"What cannot be granted is a problem document before the upgrade: 404 `not_found`, 422 " +
	"`validation_error` or `chain_required`, 426 `upgrade_required` for a plain GET.";

const query = z.object({
	chain: field
		.text("A chain that is indexed here, by slug, other spelling or id.", "ethereum")
		.optional(),
	after: field.digits("Resume behind this `seq`.", "4710").optional(),
	epoch: field.text("The `epoch` of the hello that came with it.", "k3Vq8sPz-1-2").optional(),
});

/** The description of the streams in the AsyncAPI document. */
export const describeStreams = {
	collection: canStream({
		name: "collectionStream",
		title: "What happens to one collection",
		description: `Events, floor, candles and reveal of one collection as they are stored. ${CLOSES}`,
		params: z.object({
			slug: field.text("A slug, a former slug, or the contract's address.", "tidal-cats"),
		}),
		query,
		sends: {
			...own,
			market_event: {
				summary: "A sale, mint, transfer, or a change of the order book.",
				schema: logged("market_event", "MarketEventFrame", "Something happened to a token."),
			},
			floor_update: {
				summary: "The floor changed.",
				schema: logged("floor_update", "FloorUpdateFrame", "The floor changed."),
			},
			candle_update: {
				summary: "A minute candle changed.",
				schema: logged("candle_update", "CandleUpdateFrame", "A minute candle changed."),
			},
			reveal: {
				summary: "The collection's reveal was noticed, or came further.",
				schema: logged("reveal", "RevealFrame", "Where a collection's reveal stands."),
			},
		},
		receives,
	}),
	discover: canStream({
		name: "discoverStream",
		title: "What moves across collections",
		description:
			"Rows of discover as they change, of one chain, or of all that are indexed here. Resuming needs " +
			`one chain, as each has numbers of its own. ${CLOSES}`,
		query,
		sends: {
			...own,
			discover_row: {
				summary: "A mint, or a collection whose figures moved.",
				schema: logged("discover_row", "DiscoverRowFrame", "A row of discover changed."),
			},
		},
		receives,
	}),
	intents: canStream({
		name: "intentsStream",
		title: "What happens to all that you asked for",
		description:
			"A row of `GET /v1/intents` as it then stands, whenever it or one of its steps moved. It opens " +
			"by the session's cookie from an allowed origin, by a bearer token, or by a ticket of `POST " +
			"/v1/intents/stream-tickets` as the first message, within ten seconds. What is no such ticket " +
			"is an `error` frame with its code, and closes with 4001; so does a session that ended, and a " +
			`ticket's stream after a quarter of an hour: resume with the next one. ${CLOSES}`,
		query: query.omit({ chain: true }),
		sends: {
			...own,
			intent: {
				summary: "Something that you asked for moved.",
				schema: logged("intent", "IntentFrame", "Something that you asked for moved."),
			},
		},
		receives: {
			...receives,
			ticket: {
				summary: "Opens the stream, once, where no session came with the connection.",
				schema: z
					.object({
						type: z.literal("ticket").meta({ description: "The first message." }),
						ticket: field.text("As it was made.", `svct_${"k".repeat(43)}`),
					})
					.meta({ id: "ClientTicket", description: "Says who the client is." }),
			},
		},
	}),
};

/** Describes a frame of the log: numbered by topic without a gap. */
function logged(type: keyof typeof frames, id: string, description: string) {
	return z
		.object({
			type: z.literal(type).meta({ description: "What kind of frame it is." }),
			seq: field.integer("Its number in its topic; the next frame has one more.", 4_711),
			topic,
			at,
			data: frames[type],
		})
		.meta({ id, description });
}

/** Describes a frame that the server makes itself: it states a number and takes none. */
function control(type: string, about: { id: string; seq: string; data: z.ZodType; more?: object }) {
	return z
		.object({
			type: z.literal(type).meta({ description: "What kind of frame it is." }),
			seq: field.integer(about.seq, 4_710),
			...about.more,
			topic,
			at,
			data: about.data,
		})
		.meta({ id: about.id, description: `A frame \`${type}\` of the server's own.` });
}
