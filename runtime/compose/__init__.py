"""A federation in containers: from one topology a compose file, or the same by the engine's API.

`topology` (who calls whom) -> `services` (one container each) -> `document` (compose file) or
`engine` (the docker SDK); `site` writes what the containers are handed, `validate` looks it over,
`collect` gathers what they left.
"""
