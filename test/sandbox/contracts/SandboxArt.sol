// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// Small generated pictures and their JSON, wholly on chain: the sandbox has no web server to lose.
library SandboxArt {
	using Strings for uint256;

	function json(string memory body) internal pure returns (string memory) {
		return string.concat("data:application/json;base64,", Base64.encode(bytes(body)));
	}

	function image(uint256 hue, uint256 motif, uint256 seed) internal pure returns (string memory) {
		uint256 ground = (hue + (seed % 5) * 14) % 360;
		string memory shapes;
		for (uint256 i = 0; i < 7; i++) {
			uint256 r = uint256(keccak256(abi.encode(seed, i)));
			shapes = string.concat(shapes, _shape(motif, r, i), _fill((ground + 150 + (r % 70)) % 360, 45 + ((r >> 40) % 30)));
		}
		return string.concat(
			"data:image/svg+xml;base64,",
			Base64.encode(bytes(string.concat(
				'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 320"><rect width="320" height="320"',
				_fill(ground, 22 + (seed % 3) * 8),
				shapes,
				"</svg>"
			)))
		);
	}

	function traits(uint256 seed) internal pure returns (string memory) {
		string[6] memory grounds = ["Dusk", "Slate", "Harbor", "Orchid", "Copper", "Frost"];
		string[5] memory forms = ["Lantern", "Archway", "Compass", "Spindle", "Crown"];
		// Finish is skewed on purpose: a rarity view with even odds shows nothing.
		uint256 f = (seed >> 32) % 100;
		string memory finish = f < 3 ? "Gilded" : f < 15 ? "Lacquered" : f < 45 ? "Brushed" : "Matte";
		return string.concat(
			'[{"trait_type":"Ground","value":"', grounds[seed % 6],
			'"},{"trait_type":"Form","value":"', forms[(seed >> 16) % 5],
			'"},{"trait_type":"Finish","value":"', finish, '"}]'
		);
	}

	function _fill(uint256 hue, uint256 light) private pure returns (string memory) {
		return string.concat(' fill="hsl(', hue.toString(), " 55% ", light.toString(), '%)"/>');
	}

	function _shape(uint256 motif, uint256 r, uint256 i) private pure returns (string memory) {
		string memory x = ((r >> 8) % 260 + 20).toString();
		string memory y = ((r >> 20) % 200 + 60).toString();
		string memory s = ((r >> 32) % 50 + 14).toString();
		if (motif == 0) return string.concat('<circle cx="', x, '" cy="', y, '" r="', s, '"');
		if (motif == 1) return string.concat('<rect x="', (i * 44 + 10).toString(), '" y="', y, '" width="32" height="320"');
		if (motif == 2) return string.concat('<path d="M', x, " ", y, 'l90 260h-180z"');
		return string.concat('<rect x="', x, '" y="', y, '" width="', s, '" height="', s, '" rx="6"');
	}
}
