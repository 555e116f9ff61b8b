import { z } from "zod";
import { socialFault } from "#plugins/social/faults.ts";
import type { SocialConfig } from "#plugins/social/socialConfig.ts";
import type { XAnswer } from "#plugins/social/x/callX.ts";
import { faultOf, type X } from "#plugins/social/x/createX.ts";

/** The subscribed events. Answers to the bot's posts that do not mention it are no commands. */
export const EVENT_TYPES = ["post.mention.create", "dm.received"] as const;

export type Subscribed = {
	/** True where a subscription existed before. */
	alreadySubscribed: boolean;
	/** The one of X's two interfaces that was used. */
	interface: "activity" | "account_activity";
};

/** X's words, and its codes, for a subscription that exists already. */
const ALREADY = /already|duplicate|exists/i;

/**
 * Subscribes the webhook to texts for the bot: by X's activity interface, or by the older one where
 * X does not offer that to this app. Repeating it changes nothing.
 */
export async function subscribe(
	x: X,
	config: SocialConfig,
	nowMs: () => number,
): Promise<Subscribed> {
	const webhookId = config.SOCIAL_WEBHOOK_ID;
	if (webhookId === undefined) throw socialFault.subscriptionMissing();
	const me = await x.me();
	let made = 0;
	for (const type of EVENT_TYPES) {
		const answer = await x.ask({
			as: "user",
			method: "POST",
			path: "/2/activity/subscriptions",
			json: {
				event_type: type,
				filter: { user_id: me.id },
				tag: "tapeline",
				webhook_id: webhookId,
			},
		});
		if (isAlready(answer)) continue;
		if (answer.kind === "read") made++;
		else if (made === 0 && isNotForUs(answer)) return await subscribeOldWay(x, webhookId, nowMs);
		else throw faultOf(answer, nowMs());
	}
	return { alreadySubscribed: made === 0, interface: "activity" };
}

async function subscribeOldWay(x: X, webhookId: string, nowMs: () => number): Promise<Subscribed> {
	const answer = await x.ask({
		as: "account",
		method: "POST",
		path: `/2/account_activity/webhooks/${webhookId}/subscriptions/all`,
		json: {},
	});
	const alreadySubscribed = isAlready(answer);
	if (!alreadySubscribed && answer.kind !== "read") throw faultOf(answer, nowMs());
	return { alreadySubscribed, interface: "account_activity" };
}

function isAlready(answer: XAnswer): boolean {
	return answer.kind === "refused" && (answer.status === 409 || ALREADY.test(answer.detail));
}

/** Returns true if the app has no access to the interface, or X has removed it. */
function isNotForUs(answer: XAnswer): boolean {
	return answer.kind === "refused" && [403, 404, 410].includes(answer.status);
}

const usage = z.looseObject({
	data: z.looseObject({
		project_usage: z.coerce.number().optional(),
		project_cap: z.coerce.number().optional(),
		cap_reset_day: z.coerce.number().optional(),
	}),
});

/** Reads X's own count of the month's reads. */
export async function readUsage(x: X) {
	const { data } = await x.read({ as: "app", path: "/2/usage/tweets" }, usage);
	return {
		posts: data.project_usage ?? null,
		postsMax: data.project_cap ?? null,
		resetsOnDay: data.cap_reset_day ?? null,
	};
}
