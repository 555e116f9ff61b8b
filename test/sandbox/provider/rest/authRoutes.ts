import type { Route } from "./Route.ts";

/** Gives a key to every caller; see `answerRequest` for its 201. */
export const authRoutes: readonly Route[] = [
	{
		method: "POST",
		path: "/auth/keys",
		answer: ({ office }) => ({
			api_key: "sandbox",
			name: "sandbox",
			expires_at: new Date((office.market().head.timeS + 7 * 86_400) * 1_000).toISOString(),
			rate_limits: { read: "600/h", write: "30/h", fulfillment: "5/m" },
			upgrade_url: office.publicUrl,
		}),
	},
];
