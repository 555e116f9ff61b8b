import { PUBLISH_BYTES_PER_TURN_MAX } from "#plugins/streams/limits.ts";
import type { Publisher } from "#plugins/streams/Publisher.ts";

/** The part of Bun's server that frames go through: one native call for all sockets of a topic. */
export type PublishingServer = { publish(topic: string, text: string): number };

export type PublisherOptions = {
	server: () => PublishingServer | undefined;
	/** Waits for the sockets to write. */
	nextTurn: () => Promise<void>;
	/** Called each time a turn's bytes went out: the moment to check for slow readers. */
	onTurnFull: () => void;
};

/**
 * Makes a publisher that counts what goes out between two turns of the event loop.
 *
 * Within one turn only what the kernel takes at once is written, so a megabyte published in a row
 * would end every socket at Bun's backpressure limit, the fast ones too.
 */
export function createPublisher({ server, nextTurn, onTurnFull }: PublisherOptions): Publisher {
	let turnBytes = 0;
	let unseenBytes = 0;
	let turn: Promise<void> | undefined;

	const passTurn = (): Promise<void> => {
		turn ??= nextTurn().then(() => {
			turn = undefined;
			turnBytes = 0;
		});
		return turn;
	};
	return {
		publish(topic, text) {
			server()?.publish(topic, text);
			turnBytes += text.length;
			unseenBytes += text.length;
			void passTurn();
			if (unseenBytes < PUBLISH_BYTES_PER_TURN_MAX) return;
			unseenBytes = 0;
			onTurnFull();
		},
		roomBytes: () => PUBLISH_BYTES_PER_TURN_MAX - turnBytes,
		nextTurn: passTurn,
	};
}
