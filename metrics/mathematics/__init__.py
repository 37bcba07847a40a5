"""The mathematics behind the metrics: functions of arrays that know nothing of studies."""
