import { defineFaults } from "#core/fault/defineFaults.ts";

/** Faults of requests before any plugin sees them, and faults of our own. */
export const httpFault = defineFaults({
	badRequest: {
		status: 400,
		retry: "never",
		public: "The request cannot be understood.",
		advice: "Look at the method, the path and the headers of the request against `/openapi`.",
	},
	malformedUrl: {
		status: 400,
		retry: "never",
		public: "The URL is not validly encoded.",
		advice: "Percent-encode the path and the query, and send exactly one Host header.",
	},
	malformedBody: {
		status: 400,
		retry: "never",
		public: "The body is not valid JSON.",
		advice: "Send one JSON document in UTF-8, in which no member is named twice.",
	},
	unauthorized: {
		status: 401,
		retry: "never",
		public: "Sign in first.",
		advice:
			"Sign in, and send the token as `Authorization: Bearer`; the routes for that have the tag " +
			"`trading` at `/openapi`. Operators send `x-api-key`.",
	},
	forbidden: {
		status: 403,
		retry: "never",
		public: "That is not allowed.",
		advice: "Use an account that may do this; repeating it does not help.",
	},
	originNotAllowed: {
		status: 403,
		retry: "never",
		public: "Requests from this origin are not allowed.",
		advice:
			"Call from a page whose origin the operator listed in WEB_ALLOWED_ORIGINS, or from " +
			"a server without cookies.",
	},
	portInUse: {
		status: 500,
		retry: "later",
		public: "The port is in use by another program.",
	},
	notFound: {
		status: 404,
		retry: "never",
		public: "There is nothing at this address.",
		advice:
			"Look at the address: the routes are at `/openapi`, and names and ids are found by " +
			"the list routes.",
	},
	methodNotAllowed: {
		status: 405,
		retry: "never",
		public: "This address does not know that method.",
		advice: "Use a method that the `Allow` header of the answer names.",
	},
	conflict: {
		status: 409,
		retry: "never",
		public: "The request conflicts with what is stored.",
		advice: "Read what is stored now, and decide again.",
	},
	bodyTooLarge: {
		status: 413,
		retry: "never",
		public: "The body is larger than 1 MiB.",
		advice: "Send less at once, in several requests where that is possible.",
	},
	notAcceptable: {
		status: 406,
		retry: "never",
		public: "Answers are sent as they are, or encoded with gzip, br or zstd.",
		advice: "Leave `Accept-Encoding` out, or name one of gzip, br, zstd and identity in it.",
	},
	unsupportedMediaType: {
		status: 415,
		retry: "never",
		public: "Bodies are read as application/json only.",
		advice: "Send JSON with `Content-Type: application/json`.",
	},
	validationError: {
		status: 422,
		retry: "never",
		public: "The request is not valid.",
		advice: "Correct what `issues` names, by path; the forms are at `/openapi`.",
	},
	cursorMismatch: {
		status: 422,
		retry: "never",
		public: "The cursor belongs to another list, or to other filters.",
		advice:
			"Send a cursor with the path and the filters of the page that it came with; only `limit` may " +
			"change. Leave it out to begin anew.",
	},
	upgradeRequired: {
		status: 426,
		retry: "never",
		public: "This address is a WebSocket stream: connect with a WebSocket client.",
		advice: "Connect with a WebSocket client; the frames are described at `/asyncapi/json`.",
	},
	rateLimited: {
		status: 429,
		retry: "later",
		public: "Rate limit exceeded.",
		advice:
			"Wait as long as `Retry-After` and `retryAfterMs` say. `RateLimit-*` headers show " +
			"what is left.",
	},
	internalError: {
		status: 500,
		retry: "later",
		public: "Something went wrong on our side. It has been recorded under the request id.",
		advice: "Try once more. Where it stays, tell an operator the `requestId`.",
	},
	unavailable: { status: 503, retry: "later", public: "The service cannot answer right now." },
	notReady: { status: 503, retry: "later", public: "The service is not ready." },
	draining: { status: 503, retry: "later", public: "This server is restarting. Connect again." },
});
