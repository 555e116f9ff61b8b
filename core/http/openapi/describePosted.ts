import { CHANNEL_MEMBER, type DescribedChannel } from "#core/http/asyncapi/canStream.ts";
import type { Components } from "#core/http/openapi/createComponents.ts";
import { isRecord } from "#core/http/openapi/isRecord.ts";

/**
 * Adds headers and body from its messages (`canStream`) to an operation that reads its bytes
 * itself, such as a signed webhook. Returns others unchanged.
 */
export function describePosted(
	operation: Record<string, unknown>,
	components: Components,
): Record<string, unknown> {
	const channel = operation[CHANNEL_MEMBER];
	if (!isPosted(channel)) return operation;
	const { headers, receives = {} } = channel;
	const { properties = {} } = headers ? components.describe(headers) : {};
	const bodies = Object.values(receives).map(({ schema }) => components.describe(schema));
	const [only] = bodies;
	return {
		...operation,
		parameters: Object.entries(Object(properties)).map(([name, schema]) => {
			return { name, in: "header", required: true, schema };
		}),
		requestBody: {
			content: {
				"application/json": { schema: bodies.length === 1 ? only : { oneOf: bodies } },
			},
		},
	};
}

function isPosted(value: unknown): value is DescribedChannel {
	return isRecord(value) && isRecord(value.receives);
}
