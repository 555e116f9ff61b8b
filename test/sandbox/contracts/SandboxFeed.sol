// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// A price feed as a reader of Chainlink's proxies sees it: rounds of one phase, the newest last.
contract SandboxFeed {
	struct Round {
		int192 answer;
		uint64 updatedAt;
	}

	uint80 private constant PHASE = uint80(1) << 64;
	uint8 public constant decimals = 8;
	uint256 public constant version = 4;
	string public description;
	Round[] private rounds;

	error NoDataPresent();

	constructor(string memory about) {
		description = about;
	}

	function publish(int192 answer) external {
		rounds.push(Round(answer, uint64(block.timestamp)));
	}

	function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
		return read(PHASE + uint80(rounds.length));
	}

	function getRoundData(uint80 id) external view returns (uint80, int256, uint256, uint256, uint80) {
		return read(id);
	}

	function read(uint80 id) private view returns (uint80, int256, uint256, uint256, uint80) {
		if (id <= PHASE || id > PHASE + rounds.length) revert NoDataPresent();
		Round storage round = rounds[id - PHASE - 1];
		return (id, round.answer, round.updatedAt, round.updatedAt, id);
	}
}
