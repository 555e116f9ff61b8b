import type { AsyncApiDocument } from "#core/http/asyncapi/asyncApiDocument.ts";
import { createSchemaCheck } from "#test/harness/document/createSchemaCheck.ts";

/** Returns what is wrong with a frame of a stream by the AsyncAPI document; undefined: nothing. */
export type FrameCheck = (path: string, frame: unknown) => string | undefined;

/** Makes a check of frames against the messages of their address's channel. */
export function createFrameCheck(document: AsyncApiDocument): FrameCheck {
	const check = createSchemaCheck(document);
	const channels = Object.entries(document.channels).map(([name, channel]) => ({
		name,
		messages: Object.keys(Object(channel["messages"])),
		pattern: new RegExp(`^${String(channel["address"]).replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
	}));
	return (path, frame) => {
		const [bare = ""] = path.split("?");
		const channel = channels.find(({ pattern }) => pattern.test(bare));
		if (!channel) return `${path} is no channel of the document`;
		const type = String(Object(frame).type);
		const sent =
			document.operations[`send${channel.name[0]?.toUpperCase()}${channel.name.slice(1)}`];
		const isSent = JSON.stringify(sent).includes(`/messages/${type}"`);
		if (!isSent) return `${channel.name} does not say that it sends ${type}`;
		const wrong = check(`/components/messages/${type}/payload`, frame);
		return wrong && `a frame ${type} of ${channel.name}:\n${wrong}`;
	};
}
