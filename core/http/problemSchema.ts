/** The JSON Schema of Problem, as the OpenAPI document shows it. */
export const problemSchema = {
	type: "object",
	description: "Every error answer (RFC 9457). Switch on `code`; show `message`.",
	required: ["type", "title", "status", "detail", "code", "message", "requestId"],
	properties: {
		type: { type: "string", description: "A stable URI for this kind of problem." },
		title: { type: "string", description: "The status in words." },
		status: { type: "integer" },
		detail: { type: "string" },
		code: { type: "string", pattern: "^[a-z][a-z0-9_]*$", description: "Stable." },
		message: { type: "string", description: "Equal to `detail`." },
		requestId: { type: "string", description: "Names this request in our logs." },
		provider: {
			type: "string",
			description: "Whose limit or failure it was; `svc` is this service.",
		},
		retryAfterMs: { type: "number", description: "How long to wait before the next try." },
		issues: {
			type: "array",
			items: {
				type: "object",
				required: ["path", "message"],
				properties: { path: { type: "string" }, message: { type: "string" } },
			},
		},
	},
	examples: [
		{
			type: "/problems/rate_limited",
			title: "Too Many Requests",
			status: 429,
			detail: "Rate limit exceeded: retry in 42 seconds.",
			code: "rate_limited",
			message: "Rate limit exceeded: retry in 42 seconds.",
			requestId: "0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69",
			provider: "svc",
			retryAfterMs: 41_377,
		},
	],
} as const;
