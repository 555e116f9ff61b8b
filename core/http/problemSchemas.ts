/** The JSON Schemas of Problem and its parts, by their names in the OpenAPI document. */
export const problemSchemas = {
	ProblemIssue: {
		type: "object",
		description: "One thing that is wrong with a request.",
		required: ["path", "message"],
		properties: {
			path: {
				type: "string",
				description: "Where it is, members joined by dots; empty for the whole part.",
				examples: ["limit"],
			},
			message: {
				type: "string",
				description: "What is wrong with it, as a sentence without its subject.",
				examples: ["must be a whole number from 1 to 200"],
			},
		},
	},
	Problem: {
		type: "object",
		description: "Every error answer (RFC 9457). Switch on `code`; show `message`.",
		required: ["type", "title", "status", "detail", "code", "message", "requestId"],
		properties: {
			type: {
				type: "string",
				format: "uri-reference",
				description: "The address of a page about this code: what it means and what to do.",
			},
			title: { type: "string", description: "The status in words." },
			status: { type: "integer", description: "The HTTP status.", minimum: 400, maximum: 599 },
			detail: { type: "string", description: "What went wrong this time, as a sentence." },
			code: {
				type: "string",
				pattern: "^[a-z][a-z0-9_]*$",
				description: "Which kind of problem. Stable: programs switch on it.",
			},
			message: { type: "string", description: "Equal to `detail`." },
			requestId: { type: "string", description: "Names this request in our logs." },
			provider: {
				type: "string",
				description: "Whose limit or failure it was; `svc` is this service.",
			},
			retryAfterMs: {
				type: "number",
				description: "How long to wait before the next try, in milliseconds.",
			},
			issues: {
				type: "array",
				description: "What is wrong with the request, each thing by itself; 32 at most.",
				items: { $ref: "#/components/schemas/ProblemIssue" },
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
	},
} as const;
