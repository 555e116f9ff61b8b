// Takes the wallet provider's webhooks as hints, and has the transactions looked at.

import { Elysia } from "elysia";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Clock } from "#core/clock.ts";
import { field } from "#core/http/openapi/schema.ts";
import { takesSigned } from "#core/http/routeMarks.ts";
import { createMemoryLimiter } from "#core/limiter.ts";
import type { Metrics } from "#core/metrics.ts";
import type { Look } from "#plugins/custody/contract.ts";
import {
	DELIVERIES_REMEMBERED_MAX,
	DELIVERY_REMEMBERED_MS,
	readWebhookEvent,
	verifyWebhook,
	WAKES_PER_REFERENCE_MAX,
	WAKES_PER_REFERENCE_WINDOW_SECONDS,
	WAKES_PER_SECOND_MAX,
	WEBHOOK_BYTES_MAX,
	type WebhookEvent,
	webhookFault,
} from "#plugins/custody/webhook/verifyWebhook.ts";

export type Deliveries = {
	/** Takes a delivery; false: it was taken before. */
	take(id: string): boolean;
	/** Forgets a delivery that we failed to use: the provider sends it again, and then it counts. */
	giveBack(id: string): void;
};

/**
 * Says what a webhook caused. `idle`: it is about no request of ours, or one that is due already.
 */
export type WebhookOutcome = "woken" | "idle" | "limited" | "repeated" | "ignored";

export type Webhooks = {
	/** Takes a delivery. Throws a Fault where it is not the wallet provider's, or no event. */
	receive(delivery: { headers: Headers; body: Uint8Array }): Promise<WebhookOutcome>;
};

const outcomeSchema = z
	.object({
		outcome: z.enum(["woken", "idle", "limited", "repeated", "ignored"]).meta({
			description:
				"`woken`: the transaction is looked up now. `idle`: nothing waits for it. `limited`: too many " +
				"of its webhooks came. `repeated`: it was taken before. `ignored`: it is about something else.",
		}),
	})
	.meta({ id: "WebhookOutcome", description: "What a webhook led to." });

const headersSchema = z.object({
	"svix-id": field.text("Names the delivery; the same when it is sent again.", "msg_2Lh9"),
	"svix-timestamp": field.digits("In seconds, at most five minutes from our time.", "1772366400"),
	"svix-signature": field.text(
		"`v1,` and base64 of the signature; several are separated by spaces.",
		"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
	),
});

const eventSchema = z
	.looseObject({
		type: field.text(
			"What happened; what begins with `transaction.` is looked at.",
			"transaction.confirmed",
		),
		transaction_id: field.text("The provider's id of the transaction.", "tx_81c0").optional(),
		reference_id: field.id("What this service called the transaction.").optional(),
	})
	.meta({
		id: "WalletProviderEvent",
		description: "An event of the wallet provider: a hint to look, whatever it says.",
	});

const channel = {
	name: "walletProviderWebhook",
	title: "The wallet provider's webhooks",
	description: "What the wallet provider posts of transactions that it sent for this service.",
	headers: headersSchema,
	receives: {
		walletProviderEvent: {
			summary: "Something happened to a transaction.",
			schema: eventSchema,
		},
	},
};

/**
 * Opens the address to which the wallet provider posts what became of transactions. Null: there is
 * no secret here, and so no such address.
 */
export function webhookRoutes(webhooks: Webhooks | null) {
	const routes = new Elysia({ prefix: "/v1/webhooks" });
	if (!webhooks) return routes;
	return routes.use(
		takesSigned({
			path: "/wallet-provider",
			receive: async (delivery) => ({ outcome: await webhooks.receive(delivery) }),
			answer: outcomeSchema,
			channel,
			faults: [
				webhookFault.webhookHeaders,
				webhookFault.webhookSignature,
				webhookFault.webhookTime,
				webhookFault.webhookTooLarge,
				webhookFault.webhookEvent,
			],
			about: {
				operationId: "receiveWalletProviderWebhook",
				tag: "trading",
				summary: "Takes a webhook of the wallet provider",
				description:
					"Signed by Svix with WALLET_PROVIDER_WEBHOOK_SECRET. A hint only: whatever it says, the " +
					"transaction is looked up, at the wallet provider and on chain, a second later at most. " +
					"Deliveries that were taken before and events of other kinds are answered 200 and change " +
					"nothing.",
			},
		}),
	);
}

/**
 * Takes the wallet provider's webhooks. They are only hints: the most that any of them causes, true
 * or not, is that `look` is called for the request that it names.
 */
export function createWebhooks(
	key: Uint8Array,
	{ look, clock, metrics }: { look: Look; clock: Clock; metrics: Metrics },
): Webhooks {
	const deliveries = createDeliveries(clock);
	const ofAll = createMemoryLimiter({
		requestsMax: WAKES_PER_SECOND_MAX,
		windowSeconds: 1,
		keysMax: 1,
		clock,
	});
	const ofReference = createMemoryLimiter({
		requestsMax: WAKES_PER_REFERENCE_MAX,
		windowSeconds: WAKES_PER_REFERENCE_WINDOW_SECONDS,
		keysMax: DELIVERIES_REMEMBERED_MAX,
		clock,
	});
	const received = metrics.counter({
		name: "wallet_webhooks_total",
		help: "Webhooks of the wallet provider, by what they were about and what came of them.",
		labels: ["event", "outcome"],
	});

	async function act(event: WebhookEvent): Promise<WebhookOutcome> {
		if (event.kind === "other") return "ignored";
		const { reference } = event;
		if (reference === null) return "idle";
		const isAllowed = ofReference.takeNow(reference).allowed && ofAll.takeNow("all").allowed;
		// Answered like the others: nothing is lost, it is looked at when its time comes.
		if (!isAllowed) return "limited";
		return (await look(reference)) ? "woken" : "idle";
	}

	async function take(event: WebhookEvent, id: string): Promise<WebhookOutcome> {
		if (!deliveries.take(id)) return "repeated";
		try {
			return await act(event);
		} catch (error) {
			deliveries.giveBack(id);
			throw error;
		}
	}

	return {
		async receive({ headers, body }) {
			let event = "unread";
			let outcome: WebhookOutcome | "refused" | "failed" = "refused";
			try {
				if (body.byteLength > WEBHOOK_BYTES_MAX) throw webhookFault.webhookTooLarge();
				const id = verifyWebhook(key, { headers, body, nowMs: clock.nowMs() });
				const read = readWebhookEvent(body);
				if (!read) throw webhookFault.webhookEvent();
				event = read.kind === "transaction" ? read.name : "other";
				outcome = "failed";
				outcome = await take(read, id);
				return outcome;
			} finally {
				received.inc({ event, outcome });
			}
		},
	};
}

/**
 * Remembers accepted deliveries in memory: another process, or this one after a restart, takes one
 * for new, which costs one lookup. Only verified ones come here, so strangers cannot fill it.
 */
export function createDeliveries(
	clock: Clock,
	{ max = DELIVERIES_REMEMBERED_MAX }: { max?: number } = {},
): Deliveries {
	const taken = new LRUCache<string, { atMs: number }>({ max });
	return {
		take(id) {
			const nowMs = clock.nowMs();
			const before = taken.peek(id);
			if (before && nowMs - before.atMs < DELIVERY_REMEMBERED_MS) return false;
			taken.set(id, { atMs: nowMs });
			return true;
		},
		giveBack: (id) => void taken.delete(id),
	};
}
