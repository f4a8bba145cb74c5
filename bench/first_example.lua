-- The first example as a request for wrk.
wrk.method = "POST"
wrk.body = '{"hypotheses":["a cat"],"references":["the cat"]}'
wrk.headers["Content-Type"] = "application/json"
