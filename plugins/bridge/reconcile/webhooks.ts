// Verifies the provider's webhooks, and makes the bridges that they name due at once.

import { createHmac, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import type { Clock } from "#core/clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import { defineFaults } from "#core/fault.ts";
import { createMemoryLimiter } from "#core/limiter.ts";
import type { Metrics } from "#core/metrics.ts";
import {
	DELIVERIES_REMEMBERED_MAX,
	WAKES_PER_REQUEST_MAX,
	WAKES_PER_REQUEST_WINDOW_SECONDS,
	WAKES_PER_SECOND_MAX,
	WEBHOOK_BYTES_MAX,
	WEBHOOK_TOLERANCE_MS,
} from "#plugins/bridge/limits.ts";
import { wakeBridge } from "#plugins/bridge/sql/bridges.ts";

/**
 * Says what a webhook caused. `idle`: it is about no bridge of ours, or the bridge is due already.
 */
export type BridgeWebhookOutcome = "woken" | "idle" | "limited" | "repeated" | "ignored";

export type BridgeWebhooks = {
	/** Takes a delivery. Throws a Fault where it is not the bridge provider's, or no event. */
	receive(delivery: { headers: Headers; body: Uint8Array }): Promise<BridgeWebhookOutcome>;
};

type WebhookDeps = {
	db: Queryable;
	clock: Clock;
	metrics: Metrics;
	/** Called with the bridge that is due now, to look it up before the next turn. */
	onWoken(bridgeId: string): void;
};

/** Names why a webhook of the bridge provider is refused. None shows more than its sender knows. */
export const bridgeWebhookFault = defineFaults({
	webhookHeaders: {
		code: "bridge_webhook_headers",
		status: 400,
		retry: "never",
		public: "x-signature-timestamp and x-signature-sha256 are needed, each in its form.",
		advice: "Send milliseconds, and 64 hex digits.",
	},
	webhookTime: {
		code: "bridge_webhook_time",
		status: 401,
		retry: "never",
		public: "The webhook's time is more than five minutes from ours.",
		advice: "Set the sender's clock, and deliver again.",
	},
	webhookSignature: {
		code: "bridge_webhook_signature",
		status: 401,
		retry: "never",
		public: "The webhook's signature is not right.",
		advice: "Sign `<timestamp>.<raw body>` with the key that is in BRIDGE_API_KEY here.",
	},
	webhookTooLarge: {
		code: "bridge_webhook_too_large",
		status: 413,
		retry: "never",
		public: "The webhook is larger than 64 KiB.",
		advice: "Deliver fewer than 65,536 bytes.",
	},
	webhookEvent: {
		code: "bridge_webhook_event",
		status: 422,
		retry: "never",
		public: "The webhook is no event.",
		advice: "Deliver one JSON event with `event` and `timestamp`.",
	},
});

const MILLISECONDS = /^\d{1,15}$/;
const SIGNATURE = /^[0-9a-fA-F]{64}$/;
const STATUS_UPDATED = "request.status.updated";

const eventSchema = z.object({
	event: z.string().max(128),
	timestamp: z.number(),
	data: z
		.object({ requestId: anyCaseWordSchema, status: z.string().max(64) })
		.optional()
		.catch(undefined),
});

/**
 * Makes what takes the bridge provider's webhooks. Each is a hint and nothing else: the most that
 * any of it does, true or not, is that a bridge is looked at sooner than it would have been.
 */
export function createBridgeWebhooks(
	key: string,
	{ db, clock, metrics, onWoken }: WebhookDeps,
): BridgeWebhooks {
	const taken = new LRUCache<string, true>({ max: DELIVERIES_REMEMBERED_MAX });
	const ofAll = createMemoryLimiter({
		...{ requestsMax: WAKES_PER_SECOND_MAX, windowSeconds: 1, keysMax: 1, clock },
	});
	const ofRequest = createMemoryLimiter({
		requestsMax: WAKES_PER_REQUEST_MAX,
		windowSeconds: WAKES_PER_REQUEST_WINDOW_SECONDS,
		...{ keysMax: DELIVERIES_REMEMBERED_MAX, clock },
	});
	const received = metrics.counter({
		name: "bridge_webhooks_total",
		help: "Webhooks of the bridge provider, by what came of them.",
		labels: ["outcome"],
	});

	async function act(body: Uint8Array): Promise<BridgeWebhookOutcome> {
		const event = eventSchema.safeParse(jsonOf(body)).data;
		if (!event) throw bridgeWebhookFault.webhookEvent();
		if (event.event !== STATUS_UPDATED || !event.data) return "ignored";
		const { requestId, status } = event.data;
		const name = `${event.event} ${event.timestamp} ${requestId} ${status}`;
		if (taken.has(name)) return "repeated";
		taken.set(name, true);
		const isAllowed = ofRequest.takeNow(requestId).allowed && ofAll.takeNow("all").allowed;
		// Nothing is lost: it is looked at when its time comes.
		if (!isAllowed) return "limited";
		try {
			const at = new Date(clock.nowMs());
			const bridgeId = await wakeBridge(db, { requestId, at });
			if (bridgeId === null) return "idle";
			onWoken(bridgeId);
			return "woken";
		} catch (error) {
			// It came to nothing on our side: sent again, it counts.
			taken.delete(name);
			throw error;
		}
	}

	return {
		async receive({ headers, body }) {
			let outcome: BridgeWebhookOutcome | "refused" | "failed" = "refused";
			try {
				if (body.byteLength > WEBHOOK_BYTES_MAX) throw bridgeWebhookFault.webhookTooLarge();
				verify(key, { headers, body, nowMs: clock.nowMs() });
				outcome = "failed";
				outcome = await act(body);
				return outcome;
			} finally {
				received.inc({ outcome });
			}
		},
	};
}

function jsonOf(body: Uint8Array): unknown {
	try {
		return JSON.parse(Buffer.from(body).toString("utf8"));
	} catch {
		return undefined;
	}
}

/**
 * Throws unless the bridge provider sent these very bytes, and lately: HMAC-SHA256 by the API key
 * over `timestamp.body`, compared in constant time.
 */
function verify(
	key: string,
	{ headers, body, nowMs }: { headers: Headers; body: Uint8Array; nowMs: number },
): void {
	const timestamp = headers.get("x-signature-timestamp") ?? "";
	const signature = headers.get("x-signature-sha256") ?? "";
	if (!MILLISECONDS.test(timestamp) || !SIGNATURE.test(signature)) {
		throw bridgeWebhookFault.webhookHeaders();
	}
	const expected = createHmac("sha256", key).update(`${timestamp}.`).update(body).digest();
	const given = Buffer.from(signature, "hex");
	const isSame = given.length === expected.length && timingSafeEqual(given, expected);
	if (!isSame) throw bridgeWebhookFault.webhookSignature();
	// Behind the signature: only the provider learns what our clock says.
	if (Math.abs(nowMs - Number(timestamp)) > WEBHOOK_TOLERANCE_MS) {
		throw bridgeWebhookFault.webhookTime();
	}
}
